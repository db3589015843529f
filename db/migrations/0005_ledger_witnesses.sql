CREATE TABLE "ledger_keys" (
	"id" integer PRIMARY KEY NOT NULL,
	"seed_encrypted" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ledger_due" DROP CONSTRAINT "ledger_due_kind";--> statement-breakpoint
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_kind";--> statement-breakpoint
ALTER TABLE "feeds" ADD COLUMN "candles_public" boolean;--> statement-breakpoint
ALTER TABLE "ledger_due" ADD CONSTRAINT "ledger_due_kind" CHECK ("ledger_due"."kind" in ('commitment', 'reveal', 'outcome', 'candles', 'claim', 'promotion', 'correction', 'delay', 'handover'));--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."kind" in ('commitment', 'reveal', 'outcome', 'candles', 'claim', 'promotion', 'correction', 'delay', 'handover'));