CREATE TABLE "calendar_days" (
	"calendar" text NOT NULL,
	"day" date NOT NULL,
	"kind" text NOT NULL,
	"closes_at" text,
	"note" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "calendar_days_calendar_day_pk" PRIMARY KEY("calendar","day"),
	CONSTRAINT "calendar_days_calendar" CHECK ("calendar_days"."calendar" in ('fx', 'metal', 'energy', 'us_index', 'us_share', 'crypto')),
	CONSTRAINT "calendar_days_kind" CHECK ("calendar_days"."kind" in ('closed', 'early', 'open')),
	CONSTRAINT "calendar_days_early" CHECK (("calendar_days"."kind" = 'early') = ("calendar_days"."closes_at" is not null) and "calendar_days"."closes_at" ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$')
);
--> statement-breakpoint
CREATE TABLE "pictures" (
	"hash" text PRIMARY KEY NOT NULL,
	"media_type" text NOT NULL,
	"content" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pictures_media_type" CHECK ("pictures"."media_type" in ('image/png', 'image/webp'))
);
--> statement-breakpoint
CREATE TABLE "site_texts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "site_texts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"content" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "site_texts_name" CHECK ("site_texts"."name" in ('terms', 'privacy', 'imprint', 'risk', 'hypothetical')),
	CONSTRAINT "site_texts_version_positive" CHECK ("site_texts"."version" > 0)
);
--> statement-breakpoint
CREATE TABLE "text_acceptances" (
	"user_id" uuid NOT NULL,
	"text_id" integer NOT NULL,
	"accepted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "text_acceptances_user_id_text_id_pk" PRIMARY KEY("user_id","text_id")
);
--> statement-breakpoint
ALTER TABLE "text_acceptances" ADD CONSTRAINT "text_acceptances_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "text_acceptances" ADD CONSTRAINT "text_acceptances_text_id_site_texts_id_fk" FOREIGN KEY ("text_id") REFERENCES "public"."site_texts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "site_texts_version" ON "site_texts" USING btree ("name","version");--> statement-breakpoint
CREATE INDEX "text_acceptances_text" ON "text_acceptances" USING btree ("text_id");