-- Whether an outcome's signal was made after the fact stands with the outcome. A trigger, because a release that does not
-- know the column may still be writing.
CREATE FUNCTION "outcome_backfilled"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  new.backfilled := coalesce((select backfilled from signals where id = new.signal_id), false);
  return new;
end
$body$;
--> statement-breakpoint
CREATE TRIGGER "outcomes_backfilled" BEFORE INSERT ON "outcomes"
  FOR EACH ROW EXECUTE FUNCTION "outcome_backfilled"();
--> statement-breakpoint
UPDATE "outcomes" o SET backfilled = true FROM "signals" g WHERE g.id = o.signal_id AND g.backfilled;
