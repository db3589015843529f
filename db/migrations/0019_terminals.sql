CREATE TABLE "own_pauses" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "own_pauses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"subscription_id" integer NOT NULL,
	"symbol" text,
	"timeframe" text,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "own_pauses_target" CHECK (num_nonnulls("own_pauses"."symbol", "own_pauses"."timeframe") in (0, 2))
);
--> statement-breakpoint
CREATE TABLE "terminals" (
	"subscription_id" integer NOT NULL,
	"terminal" text NOT NULL,
	"server" text,
	"account" text,
	"first_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	"n_calls" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "terminals_subscription_id_terminal_pk" PRIMARY KEY("subscription_id","terminal")
);
--> statement-breakpoint
CREATE TABLE "untraded_signals" (
	"subscription_id" integer NOT NULL,
	"signal_id" bigint NOT NULL,
	"terminal" text DEFAULT '' NOT NULL,
	"reason" text NOT NULL,
	"error_code" integer,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "untraded_signals_subscription_id_signal_id_terminal_pk" PRIMARY KEY("subscription_id","signal_id","terminal"),
	CONSTRAINT "untraded_signals_reason" CHECK ("untraded_signals"."reason" in ('SPREAD', 'CONFIDENCE', 'OWN_POSITION', 'DAILY_LOSS', 'DRAWDOWN', 'MOST_POSITIONS', 'HOURS', 'TOO_LATE', 'PAUSE', 'VOLUME', 'NO_SYMBOL', 'TERMINAL_ERROR'))
);
--> statement-breakpoint
ALTER TABLE "executions" ADD COLUMN "terminal" text;--> statement-breakpoint
ALTER TABLE "own_pauses" ADD CONSTRAINT "own_pauses_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "terminals" ADD CONSTRAINT "terminals_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "untraded_signals" ADD CONSTRAINT "untraded_signals_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "own_pauses_open" ON "own_pauses" USING btree ("subscription_id",coalesce(symbol, ''),coalesce(timeframe, '')) WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "own_pauses_subscription" ON "own_pauses" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "untraded_signals_at" ON "untraded_signals" USING btree ("at");