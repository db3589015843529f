CREATE TABLE "bulk_extensions" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "bulk_extensions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"form_id" text NOT NULL,
	"days" integer NOT NULL,
	"n_subscribers" integer NOT NULL,
	"remaining" integer[] NOT NULL,
	"n_extended" integer DEFAULT 0 NOT NULL,
	"actor" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "bulk_extensions_form_id_unique" UNIQUE("form_id")
);
--> statement-breakpoint
CREATE INDEX "bulk_extensions_unfinished" ON "bulk_extensions" USING btree ("id") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "bulk_extensions_newest" ON "bulk_extensions" USING btree ("created_at");