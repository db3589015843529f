CREATE TABLE "outbound_cursors" (
	"name" text PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "telegram_bot" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"next_update_id" bigint DEFAULT 0 NOT NULL,
	"paused_until" timestamp with time zone,
	"user_name" text,
	"answered_at" timestamp with time zone,
	"last_code" text,
	CONSTRAINT "telegram_bot_single" CHECK ("telegram_bot"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "telegram_chats" (
	"subscription_id" integer PRIMARY KEY NOT NULL,
	"chat_id" bigint NOT NULL,
	"name" text,
	"signals_up_to" bigint NOT NULL,
	"muted_slots" integer[] DEFAULT '{}' NOT NULL,
	"with_no_trade" boolean DEFAULT false NOT NULL,
	"quiet_from" smallint,
	"quiet_to" smallint,
	"ended_at" timestamp with time zone,
	"next_send_at" timestamp with time zone DEFAULT now() NOT NULL,
	"linked_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "telegram_chats_quiet" CHECK ("telegram_chats"."quiet_from" between 0 and 23 and "telegram_chats"."quiet_to" between 0 and 23)
);
--> statement-breakpoint
CREATE TABLE "telegram_links" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"subscription_id" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "telegram_message_signals" (
	"message_id" bigint NOT NULL,
	"signal_id" bigint NOT NULL,
	"subscription_id" integer NOT NULL,
	"entry_price" double precision,
	"target_price" double precision,
	"stop_price" double precision,
	CONSTRAINT "telegram_message_signals_message_id_signal_id_pk" PRIMARY KEY("message_id","signal_id")
);
--> statement-breakpoint
CREATE TABLE "telegram_messages" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "telegram_messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"dedupe_key" text NOT NULL,
	"subscription_id" integer,
	"chat_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"text" text,
	"buttons" jsonb,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sending_since" timestamp with time zone,
	"message_id" bigint,
	"edit_due_at" timestamp with time zone,
	"last_code" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp with time zone,
	CONSTRAINT "telegram_messages_state_word" CHECK ("telegram_messages"."state" in ('pending', 'sending', 'sent', 'doubtful', 'dead', 'dropped')),
	CONSTRAINT "telegram_messages_kind" CHECK ("telegram_messages"."kind" in ('signals', 'notice', 'reply'))
);
--> statement-breakpoint
CREATE TABLE "told_champions" (
	"slot_id" integer PRIMARY KEY NOT NULL,
	"model_v" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "untold_results" (
	"signal_id" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"endpoint_id" integer NOT NULL,
	"delivery_id" bigint NOT NULL,
	"status" integer,
	"code" text,
	"ms" integer NOT NULL,
	"answer" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"endpoint_id" integer NOT NULL,
	"event" text NOT NULL,
	"subject" text NOT NULL,
	"slot_id" integer,
	"body" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_code" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "webhook_deliveries_state_word" CHECK ("webhook_deliveries"."state" in ('pending', 'sent', 'dead', 'dropped'))
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_endpoints_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"subscription_id" integer NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"secret_encrypted" text NOT NULL,
	"former_secret_encrypted" text,
	"former_secret_until" timestamp with time zone,
	"state" text DEFAULT 'active' NOT NULL,
	"pause_reason" text,
	"signals_up_to" bigint NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"leased_until" timestamp with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_endpoints_state" CHECK ("webhook_endpoints"."state" in ('active', 'paused'))
);
--> statement-breakpoint
ALTER TABLE "telegram_chats" ADD CONSTRAINT "telegram_chats_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "telegram_links" ADD CONSTRAINT "telegram_links_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "telegram_message_signals" ADD CONSTRAINT "telegram_message_signals_message_id_telegram_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."telegram_messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "telegram_message_signals" ADD CONSTRAINT "telegram_message_signals_signal_id_signals_id_fk" FOREIGN KEY ("signal_id") REFERENCES "public"."signals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "telegram_messages" ADD CONSTRAINT "telegram_messages_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "told_champions" ADD CONSTRAINT "told_champions_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "untold_results" ADD CONSTRAINT "untold_results_signal_id_signals_id_fk" FOREIGN KEY ("signal_id") REFERENCES "public"."signals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_webhook_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."webhook_deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "telegram_chats_behind" ON "telegram_chats" USING btree ("signals_up_to");--> statement-breakpoint
CREATE UNIQUE INDEX "telegram_chats_chat" ON "telegram_chats" USING btree ("chat_id");--> statement-breakpoint
CREATE INDEX "telegram_links_subscription" ON "telegram_links" USING btree ("subscription_id");--> statement-breakpoint
CREATE UNIQUE INDEX "telegram_message_signals_once" ON "telegram_message_signals" USING btree ("subscription_id","signal_id");--> statement-breakpoint
CREATE INDEX "telegram_message_signals_signal" ON "telegram_message_signals" USING btree ("signal_id");--> statement-breakpoint
CREATE UNIQUE INDEX "telegram_messages_once" ON "telegram_messages" USING btree ("dedupe_key");--> statement-breakpoint
CREATE INDEX "telegram_messages_due" ON "telegram_messages" USING btree ("next_attempt_at") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "telegram_messages_sending" ON "telegram_messages" USING btree ("sending_since") WHERE state = 'sending';--> statement-breakpoint
CREATE INDEX "telegram_messages_edits" ON "telegram_messages" USING btree ("edit_due_at") WHERE edit_due_at is not null;--> statement-breakpoint
CREATE INDEX "telegram_messages_subscription" ON "telegram_messages" USING btree ("subscription_id","id");--> statement-breakpoint
CREATE INDEX "telegram_messages_state" ON "telegram_messages" USING btree ("state","created_at");--> statement-breakpoint
CREATE INDEX "webhook_attempts_endpoint" ON "webhook_attempts" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "webhook_attempts_delivery" ON "webhook_attempts" USING btree ("delivery_id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_once" ON "webhook_deliveries" USING btree ("endpoint_id","event","subject");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("endpoint_id","id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_tests" ON "webhook_deliveries" USING btree ("endpoint_id") WHERE state = 'pending' and event = 'endpoint.test';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_state" ON "webhook_deliveries" USING btree ("state","created_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_subscription" ON "webhook_endpoints" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_behind" ON "webhook_endpoints" USING btree ("signals_up_to") WHERE state = 'active';--> statement-breakpoint
CREATE INDEX "webhook_endpoints_due" ON "webhook_endpoints" USING btree ("next_attempt_at") WHERE state = 'active' and next_attempt_at is not null;