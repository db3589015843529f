CREATE TABLE "record_late" (
	"slot_id" integer NOT NULL,
	"model_v" text NOT NULL,
	"day" date NOT NULL,
	"n" bigint NOT NULL,
	"n_followed" bigint NOT NULL,
	"wins" bigint NOT NULL,
	"losses" bigint NOT NULL,
	"r" bigint NOT NULL,
	CONSTRAINT "record_late_slot_id_model_v_day_pk" PRIMARY KEY("slot_id","model_v","day")
);
--> statement-breakpoint
ALTER TABLE "models" ADD COLUMN "n_wf" integer;--> statement-breakpoint
ALTER TABLE "models" ADD COLUMN "measured_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "ledger_signals_part" ON "ledger_signals" USING btree ("slot_id","in_time","outcome") WHERE outcome is not null;