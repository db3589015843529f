-- Signals that are there already get their numbers in the order in which they were recorded: writers take turns, and an
-- id is given under the lock that a writer holds.
UPDATE "signals" g SET "seq" = n.place
  FROM (SELECT "id", row_number() OVER (ORDER BY "id") AS place FROM "signals") n
 WHERE n."id" = g."id";
--> statement-breakpoint
UPDATE "state_versions" SET "last_seq" = (SELECT count(*) FROM "signals");
