ALTER TABLE "ledger_signals" ADD COLUMN "simulated" boolean;--> statement-breakpoint
-- Signals that are still open get the class frequencies that their models have now.
UPDATE "signals" AS g SET "class_freq" = m."class_freq" FROM "models" AS m
 WHERE m."slot_id" = g."slot_id" AND m."model_v" = g."model_v" AND m."class_freq" IS NOT NULL AND g."class_freq" IS NULL
   AND g."id" IN (SELECT "signal_id" FROM "open_outcomes" UNION SELECT "signal_id" FROM "ledger_signals" WHERE "outcome" IS NULL);
