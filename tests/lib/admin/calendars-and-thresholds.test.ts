import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { POST as removeDay } from "@/app/admin/(area)/settings/calendars/remove/route";
import { POST as saveDay } from "@/app/admin/(area)/settings/calendars/save/route";
import { POST as saveHealth } from "@/app/admin/(area)/settings/thresholds/health/route";
import { POST as saveTraining } from "@/app/admin/(area)/settings/thresholds/training/route";
import { db } from "@/db/client";
import { readSlotSettings } from "@/lib/admin/settings/change-thresholds";
import { findAdminSession } from "@/lib/auth/admin-session";
import { consumeFlash, type Flash } from "@/lib/auth/flash";
import { isMarketOpen } from "@/lib/market/calendar";
import { holdCalendarDays } from "@/lib/market/calendar-days";
import { operated } from "@/lib/runtime/operated";
import { followCalendars } from "@/lib/signals/follow-calendars";
import { type AreaHandler, post, signInAdmin } from "@/tests/support/admin-browser";
import { useDatabase } from "@/tests/support/database";
import { ingest, modelItem } from "@/tests/support/market-data";

useDatabase();

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
  await ingest("models", [modelItem("EURUSD"), modelItem("XAUUSD")]);
});
afterAll(() => holdCalendarDays([]));

type Handler = AreaHandler<Record<string, never>>;

async function send(handler: Handler, fields: Record<string, string>): Promise<Flash | null> {
  expect((await post(handler, {}, fields, { cookie })).status).toBe(303);
  return consumeFlash(db(), (await findAdminSession(cookie.split("=")[1] ?? ""))!.sessionId);
}

async function store(handler: Handler, fields: Record<string, string>): Promise<string[]> {
  const preview = await send(handler, fields);
  if (preview?.kind !== "preview") throw new Error(`no preview: ${JSON.stringify(preview)}`);
  expect(await send(handler, { ...fields, mark: preview.mark })).toMatchObject({ kind: "done" });
  return preview.lines;
}

const auditOf = (action: string) =>
  db().execute<{ target: string; details: Record<string, unknown> }>(
    sql`select target, details from admin_audit where action = ${action} order by id`,
  );

describe("days of a calendar", () => {
  // A Wednesday far ahead, at noon in New York.
  const day = { calendar: "fx", day: "2031-07-16", kind: "closed", closes_at: "", note: "a day of mourning" };
  const noon = new Date("2031-07-16T16:00:00Z");

  it("are in force once they are stored, after saying whom they touch, until the rules hold again", async () => {
    followCalendars();
    expect(isMarketOpen("fx", noon)).toBe(true);
    const lines = await store(saveDay, day);
    expect(lines).toEqual([
      "3 symbols (1 slot) trade by this calendar: EURUSD, GBPUSD, USDJPY.",
      "On 2031-07-16 it is open for 0 h instead of 24 h. While it is closed nothing is due, nothing counts as stale, and no client is looked for.",
    ]);
    expect(isMarketOpen("fx", noon)).toBe(false);
    expect(isMarketOpen("metal", noon)).toBe(true);
    expect(await auditOf("calendar.change")).toMatchObject([
      { target: "calendar/fx/2031-07-16", details: { before: null, after: { kind: "closed" } } },
    ]);
    await store(removeDay, { calendar: "fx", day: "2031-07-16" });
    expect(isMarketOpen("fx", noon)).toBe(true);
    expect(await auditOf("calendar.remove")).toHaveLength(1);
  });

  it("that another instance stored are in force here within a second", async () => {
    followCalendars();
    const stop = operated().keep();
    await db("writes").execute(
      sql`insert into calendar_days (calendar, day, kind) values ('metal', '2031-07-16', 'closed')`,
    );
    await expect.poll(() => isMarketOpen("metal", noon), { timeout: 5_000, interval: 50 }).toBe(false);
    stop();
  });

  it.each([
    [{ day: "2031-07-19" }, { day: "is no trading day of this calendar anyway" }],
    [{ day: "2031-02-30" }, { day: "must be a day such as 2026-12-24" }],
    [{ kind: "early" }, { closes_at: "must say when it closes" }],
    [{ kind: "early", closes_at: "17:30" }, { closes_at: expect.stringContaining("before the usual end") }],
    [{ kind: "early", closes_at: "25:00" }, { closes_at: "must be a time such as 13:00" }],
    [{ calendar: "moon" }, { calendar: "must be a calendar" }],
  ])("are refused with %j", async (wrong, errors) => {
    expect(await send(saveDay, { ...day, ...wrong })).toMatchObject({ kind: "form", errors });
  });

  it("of which nothing is said cannot be taken back", async () => {
    expect(await send(removeDay, { calendar: "fx", day: "2031-07-17" })).toMatchObject({ kind: "failed" });
  });
});

describe("thresholds and training", () => {
  const health = {
    down_lag_factor: "4",
    down_lag_minutes: "60",
    degraded_lag_minutes: "45",
    degraded_stale_pct: "12.5",
  };
  const training = { enabled: "true", every_hours: "24", after_minutes: "1", min_candles: "4000" };

  it("say what the service would be now, and hold from the next look on", async () => {
    const lines = await store(saveHealth, health);
    expect(lines[0]).toMatch(/^By its 2 active slots the service is down now, and would stay so\.$/);
    expect((await readSlotSettings(db())).health).toEqual({
      downLagFactor: 4,
      downLagMinutes: 60,
      degradedLagMinutes: 45,
      degradedStaleShare: 0.125,
    });
    expect(await auditOf("health.change")).toMatchObject([
      {
        target: "setting/health_thresholds",
        details: { before: { degradedLagMinutes: 30 }, after: { degradedLagMinutes: 45 } },
      },
    ]);
  });

  it("say how many slots are due", async () => {
    const lines = await store(saveTraining, training);
    expect(lines).toEqual([
      "0 slots would be trained every 24 hours.",
      "0 are due at once, instead of 0. They are trained one after the other.",
    ]);
    expect((await readSlotSettings(db())).training).toMatchObject({ enabled: true, everyHours: 24 });
    const { enabled: _, ...off } = training;
    expect((await store(saveTraining, off))[0]).toContain("No slot would be trained any more");
  });

  it.each([
    [saveHealth, { ...health, degraded_stale_pct: "101" }, { degraded_stale_pct: expect.anything() }],
    [
      saveHealth,
      { ...health, down_lag_factor: "-1" },
      { down_lag_factor: "must be a number from 0 to 1000" },
    ],
    [saveTraining, { ...training, every_hours: "0" }, { every_hours: expect.anything() }],
    [saveTraining, { ...training, min_candles: "10" }, { min_candles: expect.stringContaining("from 4000") }],
  ] as const)("are refused when they cannot be: %#", async (handler, fields, errors) => {
    expect(await send(handler, fields)).toMatchObject({ kind: "form", errors });
  });
});
