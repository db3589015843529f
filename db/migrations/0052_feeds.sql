CREATE TABLE "candle_corrections" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "candle_corrections_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"slot_id" integer NOT NULL,
	"ts" timestamp with time zone NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"source" text NOT NULL,
	"applied" boolean NOT NULL,
	"old_open" double precision NOT NULL,
	"old_high" double precision NOT NULL,
	"old_low" double precision NOT NULL,
	"old_close" double precision NOT NULL,
	"old_volume" double precision,
	"new_open" double precision NOT NULL,
	"new_high" double precision NOT NULL,
	"new_low" double precision NOT NULL,
	"new_close" double precision NOT NULL,
	"new_volume" double precision
);
--> statement-breakpoint
CREATE TABLE "feed_files" (
	"feed" text NOT NULL,
	"hash" text NOT NULL,
	"file" text NOT NULL,
	"read_at" timestamp with time zone DEFAULT now() NOT NULL,
	"accepted" integer NOT NULL,
	"duplicates" integer NOT NULL,
	"error" text,
	CONSTRAINT "feed_files_feed_hash_pk" PRIMARY KEY("feed","hash")
);
--> statement-breakpoint
CREATE TABLE "feed_slots" (
	"feed" text NOT NULL,
	"slot_id" integer NOT NULL,
	"last_ts" timestamp with time zone,
	"last_received_at" timestamp with time zone,
	"delays_ms" integer[] DEFAULT '{}' NOT NULL,
	"n_stored" bigint DEFAULT 0 NOT NULL,
	"n_refused" bigint DEFAULT 0 NOT NULL,
	"last_refusal" text,
	"n_compared" bigint DEFAULT 0 NOT NULL,
	"n_differing" bigint DEFAULT 0 NOT NULL,
	"sum_diff_bps" double precision DEFAULT 0 NOT NULL,
	"max_diff_bps" double precision DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feed_slots_feed_slot_id_pk" PRIMARY KEY("feed","slot_id")
);
--> statement-breakpoint
CREATE TABLE "feed_tokens" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "feed_tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"token_hash" text NOT NULL,
	"hint" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "feeds" (
	"name" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"last_ok_at" timestamp with time zone,
	"last_error_at" timestamp with time zone,
	"last_error" text,
	"clock_offset_ms" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feeds_state" CHECK ("feeds"."state" in ('ok', 'waiting', 'held', 'refused'))
);
--> statement-breakpoint
ALTER TABLE "symbols" DROP CONSTRAINT "symbols_calendar";--> statement-breakpoint
ALTER TABLE "candle_corrections" ADD CONSTRAINT "candle_corrections_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feed_files" ADD CONSTRAINT "feed_files_feed_feeds_name_fk" FOREIGN KEY ("feed") REFERENCES "public"."feeds"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feed_slots" ADD CONSTRAINT "feed_slots_feed_feeds_name_fk" FOREIGN KEY ("feed") REFERENCES "public"."feeds"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feed_slots" ADD CONSTRAINT "feed_slots_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "candle_corrections_slot" ON "candle_corrections" USING btree ("slot_id","at");--> statement-breakpoint
CREATE UNIQUE INDEX "candle_corrections_differing" ON "candle_corrections" USING btree ("slot_id","ts","source") WHERE not applied;--> statement-breakpoint
CREATE INDEX "feed_files_read" ON "feed_files" USING btree ("read_at");--> statement-breakpoint
CREATE INDEX "feed_slots_slot" ON "feed_slots" USING btree ("slot_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "feed_tokens_hash" ON "feed_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "feed_tokens_name" ON "feed_tokens" USING btree ("name") WHERE revoked_at is null;--> statement-breakpoint
ALTER TABLE "symbols" ADD CONSTRAINT "symbols_calendar" CHECK ("symbols"."calendar" in ('fx', 'metal', 'energy', 'us_index', 'us_share', 'crypto'));