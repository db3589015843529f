CREATE TABLE "paid_time" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "paid_time_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"subscription_id" integer NOT NULL,
	"key_id" integer NOT NULL,
	"kind" text NOT NULL,
	"invoice_id" text,
	"external_subscription_id" text,
	"plan_tier" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"duration_ms" bigint,
	"grace_ms" bigint DEFAULT 0 NOT NULL,
	"ended_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "paid_time_kind" CHECK ("paid_time"."kind" in ('payment', 'trial', 'change', 'gift', 'extension', 'credit', 'carried')),
	CONSTRAINT "paid_time_duration" CHECK ("paid_time"."duration_ms" > 0),
	CONSTRAINT "paid_time_grace" CHECK ("paid_time"."grace_ms" >= 0)
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "stretches" jsonb;--> statement-breakpoint
ALTER TABLE "paid_time" ADD CONSTRAINT "paid_time_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "paid_time" ADD CONSTRAINT "paid_time_invoice_id_invoices_invoice_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("invoice_id") ON DELETE cascade ON UPDATE no action DEFERRABLE INITIALLY DEFERRED;--> statement-breakpoint
ALTER TABLE "paid_time" ADD CONSTRAINT "paid_time_plan_tier_plans_name_fk" FOREIGN KEY ("plan_tier") REFERENCES "public"."plans"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "paid_time_invoice" ON "paid_time" USING btree ("invoice_id") WHERE invoice_id is not null;--> statement-breakpoint
CREATE INDEX "paid_time_key" ON "paid_time" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "paid_time_subscription" ON "paid_time" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "api_keys_stretches" ON "api_keys" USING btree ("id") WHERE stretches is not null;--> statement-breakpoint
-- What each key has, as it stands, becomes one row: no running subscriber loses a day or a plan.
INSERT INTO paid_time (subscription_id, key_id, kind, external_subscription_id, plan_tier, starts_at, duration_ms)
SELECT k.subscription_id, k.id, 'carried',
       (SELECT i.external_subscription_id FROM invoices i
         WHERE i.key_id = k.id AND i.state = 'paid' ORDER BY i.created_at DESC LIMIT 1),
       k.plan_tier, date_trunc('milliseconds', k.created_at),
       round(extract(epoch FROM k.expires_at - date_trunc('milliseconds', k.created_at)) * 1000)
  FROM api_keys k
 WHERE k.revoked_at IS NULL AND k.rotated_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > greatest(now(), k.created_at));--> statement-breakpoint
INSERT INTO admin_audit (actor, action, target, details)
SELECT 'migration', 'paid_time.carry', 'paid-time', jsonb_build_object('keys', count(*))
  FROM paid_time HAVING count(*) > 0;
