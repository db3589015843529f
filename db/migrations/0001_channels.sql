CREATE TABLE "channel_deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "channel_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"recipient_id" integer NOT NULL,
	"event" text NOT NULL,
	"subject" text NOT NULL,
	"slot_id" integer,
	"content" jsonb NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_code" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "channel_deliveries_state_word" CHECK ("channel_deliveries"."state" in ('pending', 'sending', 'sent', 'doubtful', 'dead', 'dropped'))
);
--> statement-breakpoint
CREATE TABLE "channel_recipients" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "channel_recipients_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"channel" text NOT NULL,
	"subscription_id" integer NOT NULL,
	"address_encrypted" text NOT NULL,
	"hint" text NOT NULL,
	"events" text[] NOT NULL,
	"quiet_from" smallint,
	"quiet_to" smallint,
	"state" text DEFAULT 'active' NOT NULL,
	"signals_up_to" bigint NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"last_code" text,
	"next_attempt_at" timestamp with time zone,
	"leased_until" timestamp with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "channel_recipients_state" CHECK ("channel_recipients"."state" in ('active', 'paused')),
	CONSTRAINT "channel_recipients_quiet" CHECK ("channel_recipients"."quiet_from" between 0 and 23 and "channel_recipients"."quiet_to" between 0 and 23)
);
--> statement-breakpoint
ALTER TABLE "channel_deliveries" ADD CONSTRAINT "channel_deliveries_recipient_id_channel_recipients_id_fk" FOREIGN KEY ("recipient_id") REFERENCES "public"."channel_recipients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_deliveries" ADD CONSTRAINT "channel_deliveries_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_recipients" ADD CONSTRAINT "channel_recipients_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "channel_deliveries_once" ON "channel_deliveries" USING btree ("recipient_id","event","subject");--> statement-breakpoint
CREATE INDEX "channel_deliveries_waiting" ON "channel_deliveries" USING btree ("recipient_id","id") WHERE state in ('pending', 'sending');--> statement-breakpoint
CREATE INDEX "channel_deliveries_recipient" ON "channel_deliveries" USING btree ("recipient_id","id");--> statement-breakpoint
CREATE INDEX "channel_deliveries_state" ON "channel_deliveries" USING btree ("state","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "channel_recipients_once" ON "channel_recipients" USING btree ("subscription_id","channel");--> statement-breakpoint
CREATE INDEX "channel_recipients_behind" ON "channel_recipients" USING btree ("signals_up_to") WHERE state = 'active';--> statement-breakpoint
CREATE INDEX "channel_recipients_due" ON "channel_recipients" USING btree ("channel","next_attempt_at") WHERE state = 'active' and next_attempt_at is not null;