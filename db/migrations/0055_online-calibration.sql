CREATE TABLE "online_calibrations" (
	"slot_id" integer NOT NULL,
	"model_v" text NOT NULL,
	"day" timestamp with time zone NOT NULL,
	"a" double precision NOT NULL,
	"b" double precision NOT NULL,
	"n" integer NOT NULL,
	"learnt_to" timestamp with time zone NOT NULL,
	"learnt" jsonb NOT NULL,
	CONSTRAINT "online_calibrations_slot_id_model_v_day_pk" PRIMARY KEY("slot_id","model_v","day")
);
--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "raw_prob_no" double precision;--> statement-breakpoint
ALTER TABLE "online_calibrations" ADD CONSTRAINT "online_calibrations_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;