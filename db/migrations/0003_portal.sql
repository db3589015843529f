ALTER TABLE "sessions" ADD COLUMN "key_id" integer;--> statement-breakpoint
CREATE INDEX "sessions_subscription" ON "sessions" USING btree ("subscription_id","last_used_at" DESC NULLS LAST);