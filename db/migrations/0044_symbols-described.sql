ALTER TABLE "symbols" ADD COLUMN "description" text;--> statement-breakpoint
ALTER TABLE "symbols" ADD COLUMN "aliases" text[] DEFAULT '{}'::text[] NOT NULL;--> statement-breakpoint
ALTER TABLE "symbols" ADD COLUMN "is_guessed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "symbols_guessed" ON "symbols" USING btree ("symbol") WHERE is_guessed;