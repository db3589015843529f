CREATE TABLE "try_outs" (
	"address_hash" text PRIMARY KEY NOT NULL,
	"subscription_id" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "delay_candles" integer;--> statement-breakpoint
ALTER TABLE "try_outs" ADD CONSTRAINT "try_outs_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_delay" CHECK ("api_keys"."delay_candles" between 1 and 12);