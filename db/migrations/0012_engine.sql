CREATE TABLE "idle_candles" (
	"slot_id" integer NOT NULL,
	"ts" timestamp with time zone NOT NULL,
	"price" double precision NOT NULL,
	"volume" double precision,
	CONSTRAINT "idle_candles_slot_id_ts_pk" PRIMARY KEY("slot_id","ts")
);
--> statement-breakpoint
CREATE TABLE "odd_candles" (
	"slot_id" integer NOT NULL,
	"ts" timestamp with time zone NOT NULL,
	"kind" text NOT NULL,
	"size" double precision NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "odd_candles_slot_id_ts_pk" PRIMARY KEY("slot_id","ts"),
	CONSTRAINT "odd_candles_kind" CHECK ("odd_candles"."kind" in ('bad_tick', 'split'))
);
--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "class_freq" double precision[];--> statement-breakpoint
ALTER TABLE "idle_candles" ADD CONSTRAINT "idle_candles_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "odd_candles" ADD CONSTRAINT "odd_candles_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "odd_candles_created" ON "odd_candles" USING btree ("created_at");