-- Every new signal and outcome opens the days whose sums it belongs to. The row in open_days is locked until the writer
-- ends: the worker sums a day up only when everything that opened it is there. Days are written in one order, so that
-- two statements never wait for each other in a ring; writers of signals and of outcomes never write the same rows.
CREATE FUNCTION "open_days_on_signals"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  insert into open_days as d (kind, slot_id, day)
  select distinct 'signals', f.slot_id, (f.ts at time zone 'UTC')::date from fresh f order by 2, 3
  on conflict (kind, slot_id, day) do update set touched_at = now();
  return null;
end
$body$;
--> statement-breakpoint
CREATE FUNCTION "open_days_on_outcomes"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  insert into open_days as d (kind, slot_id, day)
  select distinct c.kind, f.slot_id, (c.at at time zone 'UTC')::date
    from fresh f
   cross join lateral (
     select 'forecasts' as kind, f.closes_at as at
     union all
     select 'results', f.ended_at where f.result_r is not null
   ) c
   order by 1, 2, 3
  on conflict (kind, slot_id, day) do update set touched_at = now();
  return null;
end
$body$;
--> statement-breakpoint
CREATE TRIGGER "open_days_signals" AFTER INSERT ON "signals" REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION "open_days_on_signals"();
--> statement-breakpoint
CREATE TRIGGER "open_days_outcomes" AFTER INSERT ON "outcomes" REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION "open_days_on_outcomes"();
--> statement-breakpoint
-- Opens every day that may have something, so that all sums are made anew. It reads two ends of an index per slot; the
-- worker does the rest a few days at a time, and until then readers take the rows themselves.
CREATE FUNCTION "open_every_day"() RETURNS void LANGUAGE sql AS $body$
  insert into open_days (kind, slot_id, day, touched_at)
  select k.kind, s.id, d::date, 'epoch'
    from slots s
   cross join lateral (
     select 'signals' as kind, (select min(g.ts) from signals g where g.slot_id = s.id) as first
     union all
     select kind, (select min(o.closes_at) from outcomes o where o.slot_id = s.id)
       from unnest(array['forecasts', 'results']) kind
   ) k
   cross join lateral generate_series((k.first at time zone 'UTC')::date, (now() at time zone 'UTC')::date, '1 day') d
  on conflict (kind, slot_id, day) do update set touched_at = excluded.touched_at
$body$;
--> statement-breakpoint
SELECT "open_every_day"();
