ALTER TABLE "ledger_due" DROP CONSTRAINT "ledger_due_kind";--> statement-breakpoint
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_kind";--> statement-breakpoint
ALTER TABLE "feeds" ADD COLUMN "candles_public" boolean;--> statement-breakpoint
ALTER TABLE "ledger_due" ADD CONSTRAINT "ledger_due_kind" CHECK ("ledger_due"."kind" in ('commitment', 'reveal', 'outcome', 'candles', 'claim', 'promotion', 'correction', 'delay'));--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK ("ledger_entries"."kind" in ('commitment', 'reveal', 'outcome', 'candles', 'claim', 'promotion', 'correction', 'delay'));