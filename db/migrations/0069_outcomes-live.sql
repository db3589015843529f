DROP INDEX "outcomes_resolved_at";--> statement-breakpoint
ALTER TABLE "outcomes" ADD COLUMN "backfilled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "outcomes_resolved" ON "outcomes" USING btree ("resolved_at","slot_id","result_r") WHERE result_r is not null and not backfilled;