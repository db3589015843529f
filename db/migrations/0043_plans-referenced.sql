ALTER TABLE "products" DROP CONSTRAINT "products_plan";--> statement-breakpoint
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_plan";--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_plan_tier_plans_name_fk" FOREIGN KEY ("plan_tier") REFERENCES "public"."plans"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_plan_tier_plans_name_fk" FOREIGN KEY ("plan_tier") REFERENCES "public"."plans"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_plan" CHECK ("products"."plan_tier" <> 'owner');