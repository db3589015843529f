-- Where a signal stands in the ledger tells its model too. A trigger, because a release that does not know the column may
-- still be writing.
CREATE FUNCTION "ledger_signal_model"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  new.model_v := coalesce((select model_v from signals where id = new.signal_id), '');
  return new;
end
$body$;
--> statement-breakpoint
CREATE TRIGGER "ledger_signals_model_v" BEFORE INSERT ON "ledger_signals"
  FOR EACH ROW EXECUTE FUNCTION "ledger_signal_model"();
--> statement-breakpoint
UPDATE "ledger_signals" l SET model_v = g.model_v FROM "signals" g WHERE g.id = l.signal_id AND l.model_v <> g.model_v;
