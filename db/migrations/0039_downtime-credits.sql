CREATE TABLE "downtime_credits" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "downtime_credits_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"subscription_id" integer NOT NULL,
	"month" date NOT NULL,
	"minutes" integer NOT NULL,
	"stretches" jsonb NOT NULL,
	"state" text DEFAULT 'proposed' NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"key_id" integer,
	"settled_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "downtime_credits_state" CHECK ("downtime_credits"."state" in ('proposed', 'granted', 'declined', 'void')),
	CONSTRAINT "downtime_credits_minutes" CHECK ("downtime_credits"."minutes" > 0)
);
--> statement-breakpoint
ALTER TABLE "downtime_credits" ADD CONSTRAINT "downtime_credits_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "downtime_credits_once" ON "downtime_credits" USING btree ("subscription_id","month");--> statement-breakpoint
CREATE INDEX "downtime_credits_due" ON "downtime_credits" USING btree ("due_at") WHERE state = 'proposed';--> statement-breakpoint
CREATE INDEX "downtime_credits_month" ON "downtime_credits" USING btree ("month");