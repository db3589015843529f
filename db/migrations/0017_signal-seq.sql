ALTER TABLE "signals" ADD COLUMN "seq" bigint;--> statement-breakpoint
ALTER TABLE "state_versions" ADD COLUMN "last_seq" bigint DEFAULT 0 NOT NULL;