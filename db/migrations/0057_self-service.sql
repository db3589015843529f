CREATE TABLE "account_requests" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "account_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"subscription_id" integer NOT NULL,
	"kind" text NOT NULL,
	"new_email" text,
	"token_hash" text NOT NULL,
	"confirmed_at" timestamp with time zone,
	"new_token_hash" text,
	"new_confirmed_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"done_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "account_requests_kind" CHECK ("account_requests"."kind" in ('delete', 'address'))
);
--> statement-breakpoint
CREATE TABLE "former_addresses" (
	"email_normalized" text PRIMARY KEY NOT NULL,
	"subscription_id" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_choices" (
	"administrator_id" integer PRIMARY KEY NOT NULL,
	"topics" text[] NOT NULL,
	"way" text NOT NULL,
	"telegram_chat_id" bigint,
	"webhook_url" text,
	"webhook_secret_encrypted" text,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"quiet_from" smallint,
	"quiet_to" smallint,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_choices_way" CHECK ("alert_choices"."way" in ('mail', 'telegram', 'webhook')),
	CONSTRAINT "alert_choices_quiet" CHECK ("alert_choices"."quiet_from" between 0 and 23 and "alert_choices"."quiet_to" between 0 and 23)
);
--> statement-breakpoint
CREATE TABLE "alert_episodes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_episodes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"topic" text NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"title" text NOT NULL,
	"text" text NOT NULL,
	"path" text NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	CONSTRAINT "alert_episodes_topic" CHECK ("alert_episodes"."topic" in ('health', 'payments_refused', 'unmapped_product', 'dead_letters', 'disk_or_backup', 'champion_demoted', 'silent_clients'))
);
--> statement-breakpoint
CREATE TABLE "alert_posts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_posts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"administrator_id" integer NOT NULL,
	"body" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_code" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_posts_state" CHECK ("alert_posts"."state" in ('pending', 'sent', 'dead', 'dropped'))
);
--> statement-breakpoint
CREATE TABLE "alert_tellings" (
	"administrator_id" integer NOT NULL,
	"episode_id" integer NOT NULL,
	"round" smallint NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_tellings_administrator_id_episode_id_round_pk" PRIMARY KEY("administrator_id","episode_id","round")
);
--> statement-breakpoint
ALTER TABLE "platform_customers" ADD COLUMN "email_hash" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "erased_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "account_requests" ADD CONSTRAINT "account_requests_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_addresses" ADD CONSTRAINT "former_addresses_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_choices" ADD CONSTRAINT "alert_choices_administrator_id_administrators_id_fk" FOREIGN KEY ("administrator_id") REFERENCES "public"."administrators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_posts" ADD CONSTRAINT "alert_posts_administrator_id_administrators_id_fk" FOREIGN KEY ("administrator_id") REFERENCES "public"."administrators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_tellings" ADD CONSTRAINT "alert_tellings_administrator_id_administrators_id_fk" FOREIGN KEY ("administrator_id") REFERENCES "public"."administrators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_tellings" ADD CONSTRAINT "alert_tellings_episode_id_alert_episodes_id_fk" FOREIGN KEY ("episode_id") REFERENCES "public"."alert_episodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "account_requests_token" ON "account_requests" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "account_requests_new_token" ON "account_requests" USING btree ("new_token_hash");--> statement-breakpoint
CREATE INDEX "account_requests_subscription" ON "account_requests" USING btree ("subscription_id","created_at");--> statement-breakpoint
CREATE INDEX "account_requests_created" ON "account_requests" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "former_addresses_subscription" ON "former_addresses" USING btree ("subscription_id");--> statement-breakpoint
CREATE UNIQUE INDEX "alert_episodes_open" ON "alert_episodes" USING btree ("topic") WHERE subject = '' and closed_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "alert_episodes_once" ON "alert_episodes" USING btree ("topic","subject") WHERE subject <> '';--> statement-breakpoint
CREATE INDEX "alert_episodes_opened" ON "alert_episodes" USING btree ("opened_at");--> statement-breakpoint
CREATE INDEX "alert_episodes_closed" ON "alert_episodes" USING btree ("closed_at");--> statement-breakpoint
CREATE INDEX "alert_posts_due" ON "alert_posts" USING btree ("next_attempt_at") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "alert_posts_administrator" ON "alert_posts" USING btree ("administrator_id","id");--> statement-breakpoint
CREATE INDEX "alert_tellings_episode" ON "alert_tellings" USING btree ("episode_id");--> statement-breakpoint
CREATE INDEX "platform_customers_email" ON "platform_customers" USING btree ("email_hash");--> statement-breakpoint
CREATE INDEX "platform_customers_updated" ON "platform_customers" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "subscriptions_erased" ON "subscriptions" USING btree ("erased_at") WHERE erased_at is not null;