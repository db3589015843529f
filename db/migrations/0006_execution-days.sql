CREATE TABLE "execution_days" (
	"subscription_id" integer NOT NULL,
	"day" date NOT NULL,
	"n_total" integer NOT NULL,
	"n_closed" integer NOT NULL,
	"n_wins" integer NOT NULL,
	"n_losses" integer NOT NULL,
	"gross_profit" numeric NOT NULL,
	"gross_loss" numeric NOT NULL,
	CONSTRAINT "execution_days_subscription_id_day_pk" PRIMARY KEY("subscription_id","day")
);
--> statement-breakpoint
ALTER TABLE "execution_days" ADD CONSTRAINT "execution_days_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;