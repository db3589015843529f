CREATE TABLE "record_coverage" (
	"slot_id" integer NOT NULL,
	"day" date NOT NULL,
	"n_candles" integer NOT NULL,
	"n_in_time" integer NOT NULL,
	"n_late" integer NOT NULL,
	"late_seconds" bigint NOT NULL,
	"n_paused" integer NOT NULL,
	"n_entered_later" integer NOT NULL,
	CONSTRAINT "record_coverage_slot_id_day_pk" PRIMARY KEY("slot_id","day")
);
--> statement-breakpoint
CREATE TABLE "record_slots" (
	"slot_id" integer PRIMARY KEY NOT NULL,
	"offered_from" timestamp with time zone,
	"counted_on" date NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ledger_signals" ADD COLUMN "in_time" boolean;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "folded" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "record_rule" text;--> statement-breakpoint
ALTER TABLE "ledger_state" ADD COLUMN "record_epoch" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "record_slots" ADD CONSTRAINT "record_slots_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- Days change with the entries that the sums hold, not with the ledger: they may be made again while it stands.
CREATE OR REPLACE FUNCTION record_day_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.entry := coalesce((select folded from ledger_state where id = 1), 0);
  return new;
end
$$;--> statement-breakpoint
-- A process of release 1.2.0 adds to the sums by its own rule and does not move `folded`: the sums are made again.
CREATE FUNCTION record_of_former_release() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.record_rule := null;
  return new;
end
$$;--> statement-breakpoint
CREATE TRIGGER record_of_former_release BEFORE UPDATE OF size ON ledger_state FOR EACH ROW
  WHEN (new.size > old.size AND new.folded = old.folded) EXECUTE FUNCTION record_of_former_release();
