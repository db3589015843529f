CREATE TABLE "fetch_days" (
	"subscription_id" integer NOT NULL,
	"day" date NOT NULL,
	"way" text NOT NULL,
	"slot_id" integer NOT NULL,
	"min_confidence" double precision NOT NULL,
	"up_to" bigint[] NOT NULL,
	"reach" integer[] NOT NULL,
	"at_ms" integer[] NOT NULL,
	CONSTRAINT "fetch_days_subscription_id_day_way_slot_id_min_confidence_pk" PRIMARY KEY("subscription_id","day","way","slot_id","min_confidence")
);
--> statement-breakpoint
ALTER TABLE "fetch_days" ADD CONSTRAINT "fetch_days_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "fetch_days_day" ON "fetch_days" USING btree ("day");