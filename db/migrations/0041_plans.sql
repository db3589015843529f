CREATE TABLE "plans" (
	"name" text PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"for_whom" text DEFAULT '' NOT NULL,
	"rank" integer NOT NULL,
	"symbols" text[],
	"timeframes" text[],
	"rate_limit_per_min" integer NOT NULL,
	"long_poll" boolean DEFAULT true NOT NULL,
	"stream" boolean DEFAULT true NOT NULL,
	"webhooks" boolean DEFAULT false NOT NULL,
	"telegram" boolean DEFAULT true NOT NULL,
	"price_text" text,
	"shop_url" text,
	"is_shown" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "plans_name" CHECK ("plans"."name" ~ '^[a-z][a-z0-9_-]{1,23}$'),
	CONSTRAINT "plans_rate_limit" CHECK ("plans"."rate_limit_per_min" between 1 and 100000),
	CONSTRAINT "plans_owner" CHECK ("plans"."name" <> 'owner' or ("plans"."symbols" is null and "plans"."timeframes" is null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "plans_rank" ON "plans" USING btree ("rank");