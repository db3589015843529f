-- A day of the record tells with which size of the ledger it was changed last. The ledger's state is locked by whoever
-- adds outcomes and moves on before they are added, so these numbers are in the order of commit. A trigger, because a
-- release that does not know the column may still be writing.
CREATE FUNCTION "record_day_changed"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  new.entry := coalesce((select size from ledger_state where id = 1), 0);
  return new;
end
$body$;
--> statement-breakpoint
CREATE TRIGGER "record_days_changed" BEFORE INSERT OR UPDATE ON "record_days"
  FOR EACH ROW EXECUTE FUNCTION "record_day_changed"();
