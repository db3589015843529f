CREATE TABLE "portal_looks" (
	"subscription_id" integer PRIMARY KEY NOT NULL,
	"seen_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "portal_looks" ADD CONSTRAINT "portal_looks_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "executions_reported" ON "executions" USING btree ("subscription_id","updated_at") WHERE closed_at is not null;--> statement-breakpoint
CREATE INDEX "outcomes_resolved_at" ON "outcomes" USING btree ("resolved_at");