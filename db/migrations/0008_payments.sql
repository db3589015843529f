ALTER TABLE "paid_time" ADD COLUMN "from_id" integer;--> statement-breakpoint
ALTER TABLE "paid_time" ADD COLUMN "charged_by" text;--> statement-breakpoint
ALTER TABLE "payment_deliveries" ADD COLUMN "is_test" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "trial_days" integer;--> statement-breakpoint
CREATE INDEX "invoice_names_invoice" ON "invoice_names" USING btree ("invoice_id");--> statement-breakpoint
CREATE INDEX "paid_time_from" ON "paid_time" USING btree ("from_id") WHERE from_id is not null;--> statement-breakpoint
CREATE INDEX "paid_time_charged_by" ON "paid_time" USING btree ("charged_by") WHERE charged_by is not null;--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_trial" CHECK ("products"."trial_days" between 1 and 366);