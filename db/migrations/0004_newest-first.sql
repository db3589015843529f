DROP INDEX "executions_opened";--> statement-breakpoint
DROP INDEX "rejected_reports_subscription";--> statement-breakpoint
DROP INDEX "mail_outbox_status";--> statement-breakpoint
DROP INDEX "mail_outbox_subscription";--> statement-breakpoint
DROP INDEX "admin_audit_at";--> statement-breakpoint
DROP INDEX "admin_audit_action";--> statement-breakpoint
DROP INDEX "admin_audit_subscription";--> statement-breakpoint
DROP INDEX "incidents_opened";--> statement-breakpoint
DROP INDEX "invoices_subscription";--> statement-breakpoint
DROP INDEX "payment_deliveries_received";--> statement-breakpoint
DROP INDEX "payment_deliveries_flagged";--> statement-breakpoint
DROP INDEX "sessions_subscription";--> statement-breakpoint
DROP INDEX "sign_in_tokens_email";--> statement-breakpoint
DROP INDEX "key_heartbeats_subscription";--> statement-breakpoint
CREATE INDEX "signals_ts" ON "signals" USING btree ("ts","created_at","id");--> statement-breakpoint
CREATE INDEX "signals_directional_ts" ON "signals" USING btree ("ts","created_at","id") WHERE signal <> 'NO_TRADE';--> statement-breakpoint
CREATE INDEX "executions_opened" ON "executions" USING btree ("subscription_id","opened_at","id");--> statement-breakpoint
CREATE INDEX "rejected_reports_subscription" ON "rejected_reports" USING btree ("subscription_id","at");--> statement-breakpoint
CREATE INDEX "mail_outbox_status" ON "mail_outbox" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "mail_outbox_subscription" ON "mail_outbox" USING btree ("subscription_id","created_at");--> statement-breakpoint
CREATE INDEX "admin_audit_at" ON "admin_audit" USING btree ("at");--> statement-breakpoint
CREATE INDEX "admin_audit_action" ON "admin_audit" USING btree ("action","at");--> statement-breakpoint
CREATE INDEX "admin_audit_subscription" ON "admin_audit" USING btree ("subscription_id","at");--> statement-breakpoint
CREATE INDEX "incidents_opened" ON "incidents" USING btree ("opened_at");--> statement-breakpoint
CREATE INDEX "invoices_subscription" ON "invoices" USING btree ("subscription_id","created_at");--> statement-breakpoint
CREATE INDEX "payment_deliveries_received" ON "payment_deliveries" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "payment_deliveries_flagged" ON "payment_deliveries" USING btree ("received_at") WHERE flags <> '{}' and reviewed_at is null;--> statement-breakpoint
CREATE INDEX "sessions_subscription" ON "sessions" USING btree ("subscription_id","last_used_at");--> statement-breakpoint
CREATE INDEX "sign_in_tokens_email" ON "sign_in_tokens" USING btree ("email_normalized","created_at");--> statement-breakpoint
CREATE INDEX "key_heartbeats_subscription" ON "key_heartbeats" USING btree ("subscription_id","last_seen_at");