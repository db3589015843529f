-- A closed candle that changes leaves a row of what it was, whatever changes it. One that was still forming when it was
-- written is expected to change and leaves none.
CREATE FUNCTION "candle_corrected"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  insert into candle_corrections (slot_id, ts, source, applied,
    old_open, old_high, old_low, old_close, old_volume, new_open, new_high, new_low, new_close, new_volume)
  values (old.slot_id, old.ts, coalesce(nullif(current_setting('signals.candle_source', true), ''), 'ingest'), true,
    old.open, old.high, old.low, old.close, old.volume, new.open, new.high, new.low, new.close, new.volume);
  return null;
end
$body$;
--> statement-breakpoint
CREATE TRIGGER "candles_corrected" AFTER UPDATE ON "candles" FOR EACH ROW
  WHEN ((old.settles_at is null or old.settles_at <= now())
    and (old.open, old.high, old.low, old.close, old.volume)
        is distinct from (new.open, new.high, new.low, new.close, new.volume))
  EXECUTE FUNCTION "candle_corrected"();
