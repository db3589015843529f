-- Keeps probe_days. A probe stands once it is stored: there is nothing to keep for an update. Rows are written in one
-- order, so that two statements never wait for each other in a ring.
CREATE FUNCTION "probe_days_on_insert"() RETURNS trigger LANGUAGE plpgsql AS $body$
begin
  insert into probe_days as d (day, component, n_probes, n_down, n_degraded, first_at)
  select (p.minute at time zone 'UTC')::date, c.component, count(*),
         count(*) filter (where c.state = 'down'), count(*) filter (where c.state = 'degraded'), min(p.minute)
    from fresh p
   cross join lateral (
     select 'service' as component, p.status as state
     union all
     select key, value from jsonb_each_text(p.components)
   ) c
   group by 1, 2
   order by 1, 2
  on conflict (day, component) do update set
    n_probes = d.n_probes + excluded.n_probes,
    n_down = d.n_down + excluded.n_down,
    n_degraded = d.n_degraded + excluded.n_degraded,
    first_at = least(d.first_at, excluded.first_at);
  return null;
end
$body$;
--> statement-breakpoint
CREATE TRIGGER "probe_days_insert" AFTER INSERT ON "health_probes" REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION "probe_days_on_insert"();
--> statement-breakpoint
-- What was probed before; the trigger's lock keeps new probes waiting until both are there.
INSERT INTO "probe_days" ("day", "component", "n_probes", "n_down", "n_degraded", "first_at")
SELECT (p.minute at time zone 'UTC')::date, c.component, count(*),
       count(*) filter (where c.state = 'down'), count(*) filter (where c.state = 'degraded'), min(p.minute)
  FROM "health_probes" p
 CROSS JOIN LATERAL (
   SELECT 'service' AS component, p.status AS state
   UNION ALL
   SELECT key, value FROM jsonb_each_text(p.components)
 ) c
 GROUP BY 1, 2;
