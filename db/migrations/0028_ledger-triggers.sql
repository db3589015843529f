-- A promotion is due for the ledger in the transaction in which a model becomes the champion of its slot.
CREATE FUNCTION "ledger_due_on_promotion"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  insert into ledger_due (kind, slot_id, content)
  values ('promotion', new.slot_id, jsonb_build_object('model_v', new.model_v, 'class_frequencies', to_jsonb(new.class_freq)));
  return null;
end
$body$;
--> statement-breakpoint
CREATE TRIGGER "ledger_due_insert" AFTER INSERT ON "models"
  FOR EACH ROW WHEN (new.is_active) EXECUTE FUNCTION "ledger_due_on_promotion"();
--> statement-breakpoint
CREATE TRIGGER "ledger_due_update" AFTER UPDATE ON "models"
  FOR EACH ROW WHEN (new.is_active AND NOT old.is_active) EXECUTE FUNCTION "ledger_due_on_promotion"();
--> statement-breakpoint
-- Champions from before the ledger.
INSERT INTO "ledger_due" ("kind", "slot_id", "content")
SELECT 'promotion', slot_id, jsonb_build_object('model_v', model_v, 'class_frequencies', to_jsonb(class_freq), 'entered_later', true)
  FROM "models" WHERE is_active ORDER BY slot_id;
--> statement-breakpoint
-- A change of candles that stand in the ledger as a hash is due as a correction, with what was there before: so that the
-- hash can still be recomputed. Candles beyond what was sealed cost one look at a table of one row a slot.
CREATE FUNCTION "ledger_due_on_late_candles"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  insert into ledger_due (kind, slot_id, content)
  select 'correction', c.slot_id, jsonb_build_object('ts', extract(epoch from c.ts)::bigint, 'before', null,
           'after', jsonb_build_array(c.open, c.high, c.low, c.close))
    from fresh c join ledger_slots l on l.slot_id = c.slot_id
   where c.ts between l.sealed_from and l.sealed_to
   order by c.slot_id, c.ts;
  return null;
end
$body$;
--> statement-breakpoint
CREATE TRIGGER "ledger_due_insert" AFTER INSERT ON "candles" REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION "ledger_due_on_late_candles"();
--> statement-breakpoint
CREATE FUNCTION "ledger_due_on_changed_candles"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  insert into ledger_due (kind, slot_id, content)
  select 'correction', c.slot_id, jsonb_build_object('ts', extract(epoch from c.ts)::bigint,
           'before', jsonb_build_array(f.open, f.high, f.low, f.close),
           'after', jsonb_build_array(c.open, c.high, c.low, c.close))
    from fresh c
    join former f on f.slot_id = c.slot_id and f.ts = c.ts
    join ledger_slots l on l.slot_id = c.slot_id
   where c.ts between l.sealed_from and l.sealed_to
     and (c.open, c.high, c.low, c.close) is distinct from (f.open, f.high, f.low, f.close)
   order by c.slot_id, c.ts;
  return null;
end
$body$;
--> statement-breakpoint
CREATE TRIGGER "ledger_due_update" AFTER UPDATE ON "candles" REFERENCING OLD TABLE AS former NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION "ledger_due_on_changed_candles"();
--> statement-breakpoint
CREATE FUNCTION "rows_never_change"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  raise exception 'rows of % never change', tg_table_name;
end
$body$;
--> statement-breakpoint
CREATE TRIGGER "model_claims_final" BEFORE UPDATE OR DELETE ON "model_claims"
  FOR EACH ROW EXECUTE FUNCTION "rows_never_change"();
--> statement-breakpoint
CREATE TRIGGER "ledger_entries_final" BEFORE UPDATE OR DELETE ON "ledger_entries"
  FOR EACH ROW EXECUTE FUNCTION "rows_never_change"();
--> statement-breakpoint
INSERT INTO "ledger_state" ("id") VALUES (1);
