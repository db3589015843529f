ALTER TABLE "signals" ALTER COLUMN "seq" SET NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "signals_seq" ON "signals" USING btree ("seq");--> statement-breakpoint
CREATE INDEX "signals_slot_seq" ON "signals" USING btree ("slot_id","seq");