CREATE TABLE "service_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"value_encrypted" text NOT NULL,
	"former_encrypted" text,
	"stored_at" timestamp with time zone DEFAULT now() NOT NULL,
	"administrator_id" integer
);
--> statement-breakpoint
ALTER TABLE "administrators" ADD COLUMN "wrong_codes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "administrators" ADD COLUMN "locked_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "service_secrets" ADD CONSTRAINT "service_secrets_administrator_id_administrators_id_fk" FOREIGN KEY ("administrator_id") REFERENCES "public"."administrators"("id") ON DELETE no action ON UPDATE no action;