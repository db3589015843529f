ALTER TABLE "record_days" ADD COLUMN "entry" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "record_days_entry" ON "record_days" USING btree ("slot_id","entry");