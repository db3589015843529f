ALTER TABLE "sessions" ADD COLUMN "opened_by" uuid;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_opened_by_sessions_id_fk" FOREIGN KEY ("opened_by") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_view" ON "sessions" USING btree ("opened_by") WHERE opened_by is not null and ended_at is null;--> statement-breakpoint
CREATE INDEX "sessions_opened_by" ON "sessions" USING btree ("opened_by") WHERE opened_by is not null;