CREATE INDEX "admin_audit_addressed" ON "admin_audit" USING btree ("at") WHERE address is not null;--> statement-breakpoint
CREATE INDEX "mail_outbox_addressed" ON "mail_outbox" USING btree ("created_at") WHERE recipient <> '' and status <> 'pending';--> statement-breakpoint
CREATE INDEX "sessions_over" ON "sessions" USING btree (least(ended_at, expires_at));--> statement-breakpoint
CREATE INDEX "sign_in_tokens_created" ON "sign_in_tokens" USING btree ("created_at");