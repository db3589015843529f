ALTER TABLE "sign_in_tokens" ADD COLUMN "network" text;--> statement-breakpoint
ALTER TABLE "sign_in_tokens" ADD COLUMN "token_encrypted" text;--> statement-breakpoint
ALTER TABLE "sign_in_tokens" ADD COLUMN "n_mails" integer DEFAULT 1 NOT NULL;