ALTER TABLE "invoices" ADD COLUMN "adapter" text DEFAULT 'generic' NOT NULL;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "external_subscription_id" text;--> statement-breakpoint
ALTER TABLE "payment_deliveries" ADD COLUMN "adapter" text DEFAULT 'generic' NOT NULL;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "adapter" text DEFAULT 'generic' NOT NULL;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "external_id" text;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "period_days" integer DEFAULT 31 NOT NULL;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "grace_days" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "invoices_external_subscription" ON "invoices" USING btree ("adapter","external_subscription_id") WHERE external_subscription_id is not null;--> statement-breakpoint
CREATE INDEX "payment_deliveries_adapter" ON "payment_deliveries" USING btree ("adapter","received_at");--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_adapter_known" CHECK ("invoices"."adapter" in ('generic', 'stripe', 'paddle', 'lemonsqueezy', 'whop', 'gumroad'));--> statement-breakpoint
ALTER TABLE "payment_deliveries" ADD CONSTRAINT "payment_deliveries_adapter_known" CHECK ("payment_deliveries"."adapter" in ('generic', 'stripe', 'paddle', 'lemonsqueezy', 'whop', 'gumroad'));