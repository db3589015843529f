CREATE TABLE "calendars" (
	"name" text PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"time_zone" text,
	"hours" text[],
	"holidays" text[] DEFAULT '{}'::text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "calendars_name" CHECK ("calendars"."name" ~ '^[a-z][a-z0-9_]{1,23}$'),
	CONSTRAINT "calendars_own" CHECK (num_nulls("calendars"."time_zone", "calendars"."hours") in (0, 2))
);
--> statement-breakpoint
INSERT INTO "calendars" ("name", "title", "time_zone", "hours", "holidays") VALUES
	('fx', 'FX', null, null, '{}'), ('metal', 'Metals', null, null, '{}'), ('energy', 'Energies', null, null, '{}'),
	('us_index', 'US indices', null, null, '{}'), ('us_share', 'US shares', null, null, '{}'), ('crypto', 'Crypto', null, null, '{}'),
	('de_index', 'Germany 40', 'Europe/Berlin', '{"Mon-Fri 01:10-22:00"}', '{"01-01","easter-2","easter+1","05-01","12-24","12-25","12-26","12-31"}'),
	('uk_index', 'UK 100', 'Europe/London', '{"Mon-Fri 01:00-21:00"}', '{"01-01","easter-2","12-25"}'),
	('jp_index', 'Japan 225', 'Asia/Tokyo', '{"Mon-Fri 08:45-15:45","Mon-Fri 17:00-06:00"}', '{"01-01"}');--> statement-breakpoint
ALTER TABLE "calendar_days" DROP CONSTRAINT "calendar_days_calendar";--> statement-breakpoint
ALTER TABLE "symbols" DROP CONSTRAINT "symbols_calendar";--> statement-breakpoint
ALTER TABLE "calendar_days" ADD CONSTRAINT "calendar_days_calendar_calendars_name_fk" FOREIGN KEY ("calendar") REFERENCES "public"."calendars"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "symbols" ADD CONSTRAINT "symbols_calendar_calendars_name_fk" FOREIGN KEY ("calendar") REFERENCES "public"."calendars"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "symbols_calendar_name" ON "symbols" USING btree ("calendar");