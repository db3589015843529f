CREATE TABLE "trainings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "trainings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"slot_id" integer NOT NULL,
	"trained_at" timestamp with time zone DEFAULT now() NOT NULL,
	"duration_ms" integer NOT NULL,
	"n_candles" integer NOT NULL,
	"from_ts" timestamp with time zone NOT NULL,
	"to_ts" timestamp with time zone NOT NULL,
	"data_hash" text NOT NULL,
	"champion" text NOT NULL,
	"change" text NOT NULL,
	"reason" text NOT NULL,
	"level" double precision NOT NULL,
	"model_v" text NOT NULL,
	"scores" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "trainings" ADD CONSTRAINT "trainings_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trainings_slot" ON "trainings" USING btree ("slot_id","trained_at" DESC NULLS LAST);