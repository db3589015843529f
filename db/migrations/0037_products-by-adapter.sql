ALTER TABLE "products" DROP CONSTRAINT "products_kind";--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_adapter_external_id_pk" PRIMARY KEY("adapter","external_id");--> statement-breakpoint
ALTER TABLE "products" ALTER COLUMN "product_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "products" ALTER COLUMN "kind" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_adapter_known" CHECK ("products"."adapter" in ('generic', 'stripe', 'paddle', 'lemonsqueezy', 'whop', 'gumroad'));--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_period" CHECK ("products"."period_days" between 1 and 3660);--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_grace" CHECK ("products"."grace_days" between 0 and 366);