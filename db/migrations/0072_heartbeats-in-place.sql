DROP INDEX "key_heartbeats_subscription";--> statement-breakpoint
CREATE INDEX "key_heartbeats_subscription" ON "key_heartbeats" USING btree ("subscription_id");