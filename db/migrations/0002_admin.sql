ALTER TABLE "payment_deliveries" ADD COLUMN "reviewed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "flash_encrypted" text;--> statement-breakpoint
CREATE INDEX "admin_audit_action" ON "admin_audit" USING btree ("action","at" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "incidents_open" ON "incidents" USING btree ("component") WHERE closed_at is null;--> statement-breakpoint
CREATE INDEX "payment_deliveries_flagged" ON "payment_deliveries" USING btree ("received_at" DESC NULLS LAST) WHERE flags <> '{}' and reviewed_at is null;