CREATE INDEX "invoices_paid" ON "invoices" USING btree (coalesce(paid_at, created_at)) WHERE effect is not null;--> statement-breakpoint
CREATE INDEX "invoices_ended" ON "invoices" USING btree ("ended_at") WHERE effect is not null and ended_at is not null;--> statement-breakpoint
CREATE INDEX "api_keys_revoked" ON "api_keys" USING btree ("revoked_at") WHERE revoked_at is not null;