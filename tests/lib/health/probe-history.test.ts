import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { db } from "@/db/client";
import { insertProbe, listComponentStateStarts } from "@/db/queries/probes";
import { WHOLE_SERVICE } from "@/db/queries/uptime";
import { readProbeHistory } from "@/lib/health/read-probe-history";
import { UPTIME_DAYS, uptimeDays, uptimePct } from "@/lib/health/uptime";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const NOON = new Date("2026-11-21T12:00:00Z");

it("the probe history counts each day's probes, today's up to the newest, and has no row for a day without any", async () => {
  await db().execute(sql`
    insert into health_probes (minute, status, reasons, components)
    select m, case when m < '2026-11-20T06:00Z' then 'down' else 'ok' end, '{}', '{"database": "ok"}'
      from generate_series('2026-11-20T00:00Z'::timestamptz, '2026-11-21T11:59Z', interval '1 minute') m`);

  const rows = async (now: Date) => {
    const history = await readProbeHistory(now);
    return Object.fromEntries(
      history.days
        .filter((day) => day.component === WHOLE_SERVICE)
        .map((day) => [day.date.toISOString().slice(0, 10), [day.rows, day.down]]),
    );
  };
  expect(await rows(NOON)).toEqual({ "2026-11-20": [1440, 360], "2026-11-21": [720, 0] });

  const probe = { status: "down" as const, reasons: [], components: { database: "ok" as const } };
  await insertProbe(db(), { ...probe, minute: NOON });
  const nextMinute = new Date(NOON.getTime() + 60_000);
  expect(await rows(nextMinute)).toEqual({ "2026-11-20": [1440, 360], "2026-11-21": [721, 1] });

  const tomorrow = new Date("2026-11-22T00:10:00Z");
  expect(await rows(tomorrow)).toEqual({ "2026-11-20": [1440, 360], "2026-11-21": [721, 1] });

  const { days, firstProbeAt } = await readProbeHistory(tomorrow);
  expect(firstProbeAt).toEqual(new Date("2026-11-20T00:00:00Z"));
  // 2,880 minutes and ten of the new day: 721 + 1,080 of them probed and not down, minus the one at noon
  expect(uptimePct(uptimeDays(days, WHOLE_SERVICE, firstProbeAt, tomorrow, UPTIME_DAYS))).toBeCloseTo(
    (100 * 1800) / 2890,
    10,
  );
  expect(days.filter((day) => day.component === "database").map((day) => day.down)).toEqual([0, 0]);
});

it("a missing probe lowers the uptime whether or not the current minute is probed yet", async () => {
  const at = (time: string) => new Date(`2026-11-22T${time}Z`);
  const probe = { status: "ok" as const, reasons: [], components: {} };
  for (const time of ["10:00:00", "10:01:00", "10:03:00"])
    await insertProbe(db(), { ...probe, minute: at(time) });
  const upTo = async (now: Date) => {
    const { days } = await readProbeHistory(now);
    return uptimePct(uptimeDays(days, WHOLE_SERVICE, at("10:00:00"), now, 1));
  };
  // 10:02 has no probe: two of three minutes, whether 10:03 is probed yet or not.
  expect(await upTo(at("10:03:00"))).toBeCloseTo(200 / 3, 10);
  expect(await upTo(at("10:03:59"))).toBeCloseTo(200 / 3, 10);
  expect(await upTo(at("10:04:00"))).toBeCloseTo(75, 10);
});

it("the probe history's cached days equal a count of the probes, in any order of arrival", async () => {
  await db().execute(sql`truncate health_probes, probe_days`);
  for (const [first, last] of [
    [1441, 2000],
    [0, 700],
    [650, 1440],
  ])
    await db().execute(sql`
      insert into health_probes (minute, status, components)
      select '2026-11-19T20:00Z'::timestamptz + n * interval '1 minute',
             (array['ok', 'degraded', 'down', 'ok'])[1 + n % 4],
             case when n < 900 then '{"database": "ok"}'::jsonb
                  else jsonb_build_object('database', 'ok', 'mail', (array['ok', 'down', 'degraded'])[1 + n % 3]) end
        from generate_series(${first}::int, ${last}::int) n on conflict do nothing`);
  const counted = await db().execute<Record<string, unknown>>(sql`
    select (minute at time zone 'UTC')::date::text as day, c.component, count(*)::int as rows,
           count(*) filter (where c.state = 'down')::int as down,
           count(*) filter (where c.state = 'degraded')::int as degraded,
           to_char(min(minute) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"') as "firstAt"
      from health_probes, lateral (select 'service' as component, status as state
                                    union all select key, value from jsonb_each_text(components)) c
     group by 1, 2`);
  const { days } = await readProbeHistory(NOON);
  const byName = (a: string, b: string) => a.localeCompare(b, "en");
  expect(
    days
      .map((day) =>
        [
          day.date.toISOString().slice(0, 10),
          day.component,
          day.rows,
          day.down,
          day.degraded,
          day.firstAt.toISOString(),
        ].join(" "),
      )
      .sort(byName),
  ).toEqual(
    counted
      .map((row) => [row.day, row.component, row.rows, row.down, row.degraded, row.firstAt].join(" "))
      .sort(byName),
  );
  expect(days).toHaveLength(8);
});

it("a component's state starts at the first probe after its last change, any number of days ago", async () => {
  await db().execute(sql`delete from health_probes`);
  await db().execute(sql`delete from probe_days`);
  // Mail fails over midnight; candles degrade at the end and stay degraded; the limiter is probed from the second day
  // on.
  await db().execute(sql`
    insert into health_probes (minute, status, reasons, components)
    select m, 'ok', '{}', jsonb_build_object('database', 'ok',
             'mail', case when m between '2026-10-02T23:50Z' and '2026-10-03T00:09Z' then 'down' else 'ok' end,
             'candles', case when m >= '2026-10-05T12:00Z' then 'degraded' else 'ok' end)
           || case when m >= '2026-10-02T00:00Z' then '{"rate_limit": "ok"}'::jsonb else '{}' end
      from generate_series('2026-10-01T08:00Z'::timestamptz, '2026-10-06T08:00Z', interval '5 minutes') m`);
  const since = await listComponentStateStarts(db(), {
    database: "ok",
    mail: "ok",
    candles: "degraded",
    rate_limit: "ok",
    worker: "ok",
  });
  expect(Object.fromEntries([...since].map(([name, at]) => [name, at.toISOString().slice(0, 16)]))).toEqual({
    database: "2026-10-01T08:00",
    mail: "2026-10-03T00:10",
    candles: "2026-10-05T12:00",
    rate_limit: "2026-10-02T00:00",
  });
  expect(
    await listComponentStateStarts(db(), { mail: "down" }),
    "a state that no probe has seen yet",
  ).toEqual(new Map());
});
