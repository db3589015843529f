CREATE INDEX "execution_changes_request" ON "execution_changes" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "executions_ticket_alone" ON "executions" USING btree ("ticket");--> statement-breakpoint
CREATE INDEX "rejected_reports_request" ON "rejected_reports" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "admin_audit_request" ON "admin_audit" USING btree ("request_id") WHERE request_id is not null;--> statement-breakpoint
CREATE INDEX "payment_deliveries_email" ON "payment_deliveries" USING btree ("email_hash");--> statement-breakpoint
CREATE INDEX "api_keys_hint" ON "api_keys" USING btree ("hint" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "subscriptions_email_prefix" ON "subscriptions" USING btree ("email_normalized" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "subscriptions_name_prefix" ON "subscriptions" USING btree (lower("user_name") text_pattern_ops);