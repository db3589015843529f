ALTER TABLE "signals" ADD COLUMN "stop" double precision;--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "target" double precision;--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "horizon_candles" smallint;