ALTER TABLE "record_slots" ADD COLUMN "n_missing" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "record_slots" ADD COLUMN "missing_counted_to" timestamp with time zone;