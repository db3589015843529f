ALTER TABLE "plans" ADD COLUMN "trading_client" boolean DEFAULT true NOT NULL;--> statement-breakpoint
UPDATE "plans" SET "trading_client" = false WHERE "name" = 'telegram';
