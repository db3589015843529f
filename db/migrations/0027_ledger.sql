CREATE TABLE "ledger_checkpoints" (
	"size" bigint PRIMARY KEY NOT NULL,
	"root" "bytea" NOT NULL,
	"note" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger_due" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"slot_id" integer NOT NULL,
	"content" jsonb NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_due_kind" CHECK ("ledger_due"."kind" in ('commitment', 'reveal', 'outcome', 'candles', 'claim', 'promotion', 'correction'))
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"index" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"content" text NOT NULL,
	"leaf_hash" "bytea" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."kind" in ('commitment', 'reveal', 'outcome', 'candles', 'claim', 'promotion', 'correction'))
);
--> statement-breakpoint
CREATE TABLE "ledger_nodes" (
	"level" smallint NOT NULL,
	"position" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "ledger_nodes_level_position_pk" PRIMARY KEY("level","position")
);
--> statement-breakpoint
CREATE TABLE "ledger_signals" (
	"signal_id" bigint PRIMARY KEY NOT NULL,
	"slot_id" integer NOT NULL,
	"salt" text,
	"commitment" bigint,
	"reveal" bigint,
	"outcome" bigint
);
--> statement-breakpoint
CREATE TABLE "ledger_slots" (
	"slot_id" integer PRIMARY KEY NOT NULL,
	"sealed_from" timestamp with time zone NOT NULL,
	"sealed_to" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger_state" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"size" bigint DEFAULT 0 NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"refusal" text,
	"settled_at" timestamp with time zone,
	CONSTRAINT "ledger_state_single" CHECK ("ledger_state"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "model_claims" (
	"model_id" integer PRIMARY KEY NOT NULL,
	"n" integer NOT NULL,
	"skill" double precision NOT NULL,
	"skill_lo" double precision,
	"skill_hi" double precision,
	"ece" double precision NOT NULL,
	"ece_lo" double precision,
	"ece_hi" double precision,
	"directional_share" double precision NOT NULL,
	"directional_share_lo" double precision,
	"directional_share_hi" double precision,
	"max_drawdown_r" double precision NOT NULL,
	"max_drawdown_r_lo" double precision,
	"max_drawdown_r_hi" double precision,
	"sealed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "record_bins" (
	"slot_id" integer NOT NULL,
	"model_v" text NOT NULL,
	"day" date NOT NULL,
	"forecaster" text NOT NULL,
	"bin" smallint NOT NULL,
	"n" bigint NOT NULL,
	"n_independent" bigint NOT NULL,
	"confidence" bigint NOT NULL,
	"hits" bigint NOT NULL,
	"brier" bigint NOT NULL,
	CONSTRAINT "record_bins_slot_id_model_v_day_forecaster_bin_pk" PRIMARY KEY("slot_id","model_v","day","forecaster","bin"),
	CONSTRAINT "record_bins_forecaster" CHECK ("record_bins"."forecaster" in ('model', 'coin', 'frequencies'))
);
--> statement-breakpoint
CREATE TABLE "record_days" (
	"slot_id" integer NOT NULL,
	"model_v" text NOT NULL,
	"day" date NOT NULL,
	"n" bigint NOT NULL,
	"n_independent" bigint NOT NULL,
	"n_directional" bigint NOT NULL,
	"brier" bigint NOT NULL,
	"brier_frequencies" bigint NOT NULL,
	"gain_squares" bigint NOT NULL,
	"evidence" bigint NOT NULL,
	CONSTRAINT "record_days_slot_id_model_v_day_pk" PRIMARY KEY("slot_id","model_v","day")
);
--> statement-breakpoint
CREATE TABLE "record_overlaps" (
	"slot_id" integer NOT NULL,
	"model_v" text NOT NULL,
	"busy_until" text NOT NULL,
	CONSTRAINT "record_overlaps_slot_id_model_v_pk" PRIMARY KEY("slot_id","model_v")
);
--> statement-breakpoint
CREATE TABLE "record_results" (
	"slot_id" integer NOT NULL,
	"model_v" text NOT NULL,
	"day" date NOT NULL,
	"forecaster" text NOT NULL,
	"n" bigint NOT NULL,
	"n_independent" bigint NOT NULL,
	"wins" bigint NOT NULL,
	"losses" bigint NOT NULL,
	"r" bigint NOT NULL,
	"r_squares" bigint NOT NULL,
	"gain" bigint NOT NULL,
	CONSTRAINT "record_results_slot_id_model_v_day_forecaster_pk" PRIMARY KEY("slot_id","model_v","day","forecaster"),
	CONSTRAINT "record_results_forecaster" CHECK ("record_results"."forecaster" in ('model', 'coin', 'frequencies'))
);
--> statement-breakpoint
ALTER TABLE "ledger_signals" ADD CONSTRAINT "ledger_signals_signal_id_signals_id_fk" FOREIGN KEY ("signal_id") REFERENCES "public"."signals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_slots" ADD CONSTRAINT "ledger_slots_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_claims" ADD CONSTRAINT "model_claims_model_id_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."models"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_entries_subject" ON "ledger_entries" USING btree ("kind","subject");--> statement-breakpoint
CREATE INDEX "ledger_signals_open" ON "ledger_signals" USING btree ("signal_id") WHERE outcome is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_signals_outcome" ON "ledger_signals" USING btree ("outcome");--> statement-breakpoint
CREATE INDEX "ledger_signals_slot" ON "ledger_signals" USING btree ("slot_id","outcome");