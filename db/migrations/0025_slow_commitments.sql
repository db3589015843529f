ALTER TABLE "record_coverage" ADD COLUMN "n_slow" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "record_coverage" AS c SET "n_slow" = slow."n"
  FROM (
    SELECT g."slot_id", (g."ts" AT TIME ZONE 'UTC')::date AS "day", count(DISTINCT g."ts") AS "n"
      FROM "ledger_signals" AS l
      JOIN "ledger_entries" AS e ON e."index" = l."commitment"
      JOIN "signals" AS g ON g."id" = l."signal_id"
     WHERE l."in_time" AND e."at" - g."closes_at" > 0.1 * (g."closes_at" - g."ts")
     GROUP BY 1, 2) AS slow
 WHERE c."slot_id" = slow."slot_id" AND c."day" = slow."day";
