CREATE TABLE "pauses" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pauses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"symbol" text,
	"timeframe" text,
	"reason" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"until" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"started_by" text NOT NULL,
	"ended_by" text,
	CONSTRAINT "pauses_timeframe" CHECK ("pauses"."timeframe" in ('M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M10', 'M12', 'M15', 'M20', 'M30', 'H1', 'H2', 'H3', 'H4', 'H6', 'H8', 'H12', 'D1', 'W1', 'MN1')),
	CONSTRAINT "pauses_target" CHECK ("pauses"."timeframe" is null or "pauses"."symbol" is not null),
	CONSTRAINT "pauses_end" CHECK ("pauses"."ended_at" >= "pauses"."started_at")
);
--> statement-breakpoint
ALTER TABLE "pauses" ADD CONSTRAINT "pauses_symbol_symbols_symbol_fk" FOREIGN KEY ("symbol") REFERENCES "public"."symbols"("symbol") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "pauses_open" ON "pauses" USING btree (coalesce("symbol", ''),coalesce("timeframe", '')) WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "pauses_started" ON "pauses" USING btree ("started_at");