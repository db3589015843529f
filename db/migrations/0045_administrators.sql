CREATE TABLE "administrators" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "administrators_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_normalized" text NOT NULL,
	"role" text NOT NULL,
	"totp_secret_encrypted" text NOT NULL,
	"totp_step" bigint DEFAULT 0 NOT NULL,
	"recovery_hashes" text[] DEFAULT '{}'::text[] NOT NULL,
	"link_hash" text,
	"link_expires_at" timestamp with time zone,
	"link_tries" integer DEFAULT 0 NOT NULL,
	"accepted_at" timestamp with time zone,
	"removed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "administrators_role" CHECK ("administrators"."role" in ('owner', 'support', 'reader'))
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "administrator_id" integer;--> statement-breakpoint
CREATE UNIQUE INDEX "administrators_email" ON "administrators" USING btree ("email_normalized") WHERE removed_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "administrators_link" ON "administrators" USING btree ("link_hash");--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_administrator_id_administrators_id_fk" FOREIGN KEY ("administrator_id") REFERENCES "public"."administrators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_administrator" ON "sessions" USING btree ("administrator_id") WHERE administrator_id is not null;