CREATE TABLE "forecast_days" (
	"span" text NOT NULL,
	"slot_id" integer NOT NULL,
	"day" date NOT NULL,
	"model_v" text NOT NULL,
	"first_close" timestamp with time zone NOT NULL,
	"tally" "bytea" NOT NULL,
	"chain" "bytea" NOT NULL,
	CONSTRAINT "forecast_days_span_slot_id_day_model_v_pk" PRIMARY KEY("span","slot_id","day","model_v"),
	CONSTRAINT "forecast_days_span" CHECK ("forecast_days"."span" in ('day', 'month'))
);
--> statement-breakpoint
CREATE TABLE "open_days" (
	"kind" text NOT NULL,
	"slot_id" integer NOT NULL,
	"day" date NOT NULL,
	"touched_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "open_days_kind_slot_id_day_pk" PRIMARY KEY("kind","slot_id","day"),
	CONSTRAINT "open_days_kind" CHECK ("open_days"."kind" in ('signals', 'forecasts', 'results', 'month'))
);
--> statement-breakpoint
CREATE TABLE "result_days" (
	"slot_id" integer NOT NULL,
	"day" date NOT NULL,
	"model_v" text NOT NULL,
	"first_close" timestamp with time zone NOT NULL,
	"n" integer NOT NULL,
	"wins" integer NOT NULL,
	"losses" integer NOT NULL,
	"gain_r" double precision NOT NULL,
	"loss_r" double precision NOT NULL,
	"total_r" double precision NOT NULL,
	"drawdown_r" double precision NOT NULL,
	"high_r" double precision NOT NULL,
	"low_r" double precision NOT NULL,
	"buy_wins" integer NOT NULL,
	"buy_losses" integer NOT NULL,
	"sell_wins" integer NOT NULL,
	"sell_losses" integer NOT NULL,
	CONSTRAINT "result_days_slot_id_day_model_v_pk" PRIMARY KEY("slot_id","day","model_v")
);
--> statement-breakpoint
CREATE TABLE "signal_days" (
	"slot_id" integer NOT NULL,
	"day" date NOT NULL,
	"model_v" text NOT NULL,
	"n" integer NOT NULL,
	"n_buy" integer NOT NULL,
	"n_sell" integer NOT NULL,
	"confidence" double precision NOT NULL,
	"prob_buy" double precision NOT NULL,
	"prob_sell" double precision NOT NULL,
	"prob_no" double precision NOT NULL,
	"expected_rr" double precision NOT NULL,
	"regimes" jsonb NOT NULL,
	"first_ts" timestamp with time zone NOT NULL,
	"last_ts" timestamp with time zone NOT NULL,
	"first_close" timestamp with time zone NOT NULL,
	"last_close" timestamp with time zone NOT NULL,
	"followed_confidence" double precision NOT NULL,
	"first_followed_ts" timestamp with time zone,
	"last_followed_ts" timestamp with time zone,
	CONSTRAINT "signal_days_slot_id_day_model_v_pk" PRIMARY KEY("slot_id","day","model_v")
);
--> statement-breakpoint
ALTER TABLE "forecast_days" ADD CONSTRAINT "forecast_days_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "open_days" ADD CONSTRAINT "open_days_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "result_days" ADD CONSTRAINT "result_days_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signal_days" ADD CONSTRAINT "signal_days_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "open_days_newest" ON "open_days" USING btree ("kind","day");--> statement-breakpoint
CREATE INDEX "mail_outbox_secrets" ON "mail_outbox" USING btree ("created_at") WHERE secret_encrypted is not null;--> statement-breakpoint
CREATE INDEX "outcomes_slot_ended" ON "outcomes" USING btree ("slot_id","ended_at") WHERE result_r is not null;