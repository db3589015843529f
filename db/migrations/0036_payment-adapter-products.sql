-- What each product buys, as the periods of its kind said.
UPDATE "products" SET
  "external_id" = "product_id",
  "period_days" = ((SELECT "value" -> "products"."kind" ->> 'days' FROM "settings" WHERE "name" = 'payment_periods'))::int,
  "grace_days" = ((SELECT "value" -> "products"."kind" ->> 'graceDays' FROM "settings" WHERE "name" = 'payment_periods'))::int;
--> statement-breakpoint
-- The periods of kinds are no longer asked; what a product outside the table buys is. Replicas of the last release read the former.
INSERT INTO "settings" ("name", "value") SELECT 'unmapped_product', "value" -> 'monthly' FROM "settings" WHERE "name" = 'payment_periods';
--> statement-breakpoint
-- A product is named by its platform and its id from here on: the key of the id alone makes room.
ALTER TABLE "products" DROP CONSTRAINT "products_pkey";
