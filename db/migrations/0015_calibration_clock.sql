ALTER TABLE "online_calibrations" ADD COLUMN "c1" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "online_calibrations" ADD COLUMN "c2" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "online_calibrations" ADD COLUMN "d" double precision DEFAULT 0 NOT NULL;