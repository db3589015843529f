CREATE TABLE "audit_posts" (
	"audit_id" bigint PRIMARY KEY NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_code" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_posts" ADD CONSTRAINT "audit_posts_audit_id_admin_audit_id_fk" FOREIGN KEY ("audit_id") REFERENCES "public"."admin_audit"("id") ON DELETE cascade ON UPDATE no action;