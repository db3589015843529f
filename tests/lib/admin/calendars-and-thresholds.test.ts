import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { POST as removeDay } from "@/app/admin/(area)/settings/calendars/remove/route";
import { POST as saveDay } from "@/app/admin/(area)/settings/calendars/save/route";
import { POST as saveSlot } from "@/app/admin/(area)/settings/thresholds/slot/route";
import { db } from "@/db/client";
import { changeSlot } from "@/lib/admin/settings/change-slot";
import { isMarketOpen } from "@/lib/market/calendar";
import { setDayOverrides } from "@/lib/market/day-overrides";
import { setSlotGraceMinutes, slotFreshness } from "@/lib/market/freshness";
import { storedValueVersion } from "@/lib/runtime/setting-change-preview";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { SETTINGS_BY_NAME, settingInForce } from "@/lib/settings/registry";
import { readTrainingOverrides, trainingPlanOf } from "@/lib/settings/training-plan";
import { keepCalendarsInSync } from "@/lib/signals/sync-calendars";
import {
  type AdminFormHandler,
  formHandlerOfSetting,
  postFormForFlash,
  signInAdmin,
  storeSetting,
} from "@/tests/support/admin-browser";
import { useDatabase } from "@/tests/support/database";
import { ingest, modelItem } from "@/tests/support/market-data";

useDatabase();

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
  await ingest("models", [modelItem("EURUSD"), modelItem("XAUUSD")]);
});
afterAll(() => {
  setDayOverrides([]);
  setSlotGraceMinutes(new Map());
});

const saveHealth = formHandlerOfSetting("health");
const saveTraining = formHandlerOfSetting("training");

type Handler = AdminFormHandler<Record<string, never>>;

const send = (handler: Handler, fields: Record<string, string>) =>
  postFormForFlash(handler, {}, fields, cookie);
const store = async (handler: Handler, fields: Record<string, string>) =>
  (await storeSetting(handler, {}, fields, cookie)).lines;

const auditOf = (action: string) =>
  db().execute<{ target: string; details: Record<string, unknown> }>(
    sql`select target, details from admin_audit where action = ${action} order by id`,
  );

describe("calendar days", () => {
  // A Wednesday far ahead, at noon in New York.
  const day = { calendar: "fx", day: "2031-07-16", kind: "closed", closes_at: "", note: "a day of mourning" };
  const noon = new Date("2031-07-16T16:00:00Z");

  it("a changed calendar day previews the symbols that it affects, applies once stored, and can be reset", async () => {
    keepCalendarsInSync();
    expect(isMarketOpen("fx", noon)).toBe(true);
    const lines = await store(saveDay, day);
    expect(lines).toEqual([
      "3 symbols (1 slot) use this calendar: EURUSD, GBPUSD, USDJPY.",
      "On 2031-07-16 it is open for 0 h instead of 24 h. While it is closed, no signal is due or stale, and no client is missed.",
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

  it("calendar days stored by another instance apply here within five seconds", async () => {
    keepCalendarsInSync();
    const stop = settingsCache().keep();
    await db().execute(
      sql`insert into calendar_days (calendar, day, kind) values ('metal', '2031-07-16', 'closed')`,
    );
    await expect.poll(() => isMarketOpen("metal", noon), { timeout: 5_000, interval: 50 }).toBe(false);
    stop();
  });

  it.each([
    [{ day: "2031-07-19" }, { day: "is not a trading day of this calendar" }],
    [{ day: "2031-02-30" }, { day: "must be a day such as 2026-12-24" }],
    [{ kind: "early" }, { closes_at: "must be the time of the close" }],
    [{ kind: "early", closes_at: "17:30" }, { closes_at: expect.stringContaining("before the usual end") }],
    [{ kind: "early", closes_at: "25:00" }, { closes_at: "must be a time such as 13:00" }],
    [{ calendar: "moon" }, { calendar: "must be a calendar" }],
  ])("calendar days are refused with %j", async (wrong, errors) => {
    expect(await send(saveDay, { ...day, ...wrong })).toMatchObject({ kind: "form", errors });
  });

  it("a calendar day without an entry cannot be reset", async () => {
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

  it("health thresholds preview the resulting status, are stored, and are audited with the old and the new value", async () => {
    const lines = await store(saveHealth, health);
    expect(lines[0]).toMatch(/2 active slots .* down now, and would stay down\.$/);
    expect(await settingInForce(db(), "health")).toEqual({
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

  it("training settings preview the number of slots due", async () => {
    const lines = await store(saveTraining, training);
    expect(lines).toEqual([
      "0 slots would be trained every 24 hours.",
      "0 are due at once, instead of 0. They are trained one after the other.",
    ]);
    expect(await settingInForce(db(), "training")).toMatchObject({ enabled: true, everyHours: 24 });
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
  ] as const)(
    "thresholds and training settings are refused with invalid values: %#",
    async (handler, fields, errors) => {
      expect(await send(handler, fields)).toMatchObject({ kind: "form", errors });
    },
  );
});

describe("a slot override", () => {
  const slot = { symbol: "EURUSD", timeframe: "H1" };
  const said = { ...slot, grace_minutes: "45", trained: "no", train_every_hours: "" };
  const lastTs = new Date("2026-01-13T10:00:00Z");
  const staleAt = (instant: string, symbol = "EURUSD") =>
    slotFreshness({ symbol, timeframe: "H1", calendar: "fx", lastTs, now: new Date(instant) }).stale;

  it("a slot override applies once saved and falls back when cleared", async () => {
    keepCalendarsInSync();
    expect(staleAt("2026-01-13T12:30:00Z")).toBe(true);
    const lines = await store(saveSlot, said);
    expect(lines).toEqual([
      "Its newest signal counts as stale 45 minutes after the next one is due, instead of 15: for health, for alerts, and for the 0 subscribers with access to it.",
      "It is stale now, and would stay stale.",
      "It would no longer be trained and would keep its present model.",
    ]);
    expect(staleAt("2026-01-13T12:30:00Z")).toBe(false);
    expect(staleAt("2026-01-13T12:45:01Z")).toBe(true);
    expect(staleAt("2026-01-13T12:30:00Z", "GBPUSD")).toBe(true);
    const plan = SETTINGS_BY_NAME.training.byDefault;
    const plans = await readTrainingOverrides(db());
    expect(trainingPlanOf(plan, { symbol: "EURUSD", timeframe: "H1" }, plans).enabled).toBe(false);
    expect(trainingPlanOf(plan, { symbol: "EURUSD", timeframe: "H4" }, plans)).toEqual(plan);
    expect(await auditOf("slot.change")).toMatchObject([
      { target: "slot/EURUSD/H1", details: { before: { graceMinutes: null }, after: { graceMinutes: 45 } } },
    ]);

    await store(saveSlot, { ...said, grace_minutes: "", trained: "yes", train_every_hours: "24" });
    expect(staleAt("2026-01-13T12:30:00Z")).toBe(true);
    const daily = await readTrainingOverrides(db());
    const off = { ...plan, enabled: false };
    expect(trainingPlanOf(off, { symbol: "EURUSD", timeframe: "H1" }, daily)).toMatchObject({
      enabled: true,
      everyHours: 24,
    });
    await store(saveSlot, { ...slot, grace_minutes: "", trained: "general", train_every_hours: "" });
    expect(await db().execute(sql`select 1 from slot_settings`)).toHaveLength(0);
  });

  it("a slot override stored by another instance applies here within five seconds", async () => {
    keepCalendarsInSync();
    const stop = settingsCache().keep();
    await db().execute(
      sql`insert into slot_settings (symbol, timeframe, grace_minutes) values ('GBPUSD', 'H1', 60)`,
    );
    await expect
      .poll(() => staleAt("2026-01-13T12:30:00Z", "GBPUSD"), { timeout: 5_000, interval: 50 })
      .toBe(false);
    stop();
    await db().execute(sql`delete from slot_settings`);
    await settingsCache().readAgain();
  });

  it.each([
    [{ grace_minutes: "10081" }, { grace_minutes: "must be a whole number from 0 to 10080" }],
    [{ train_every_hours: "0" }, { train_every_hours: "must be a whole number from 1 to 8784" }],
    [{ trained: "perhaps" }, { trained: "must be one of the three" }],
    [{ timeframe: "H99" }, { timeframe: "must be a timeframe such as H1" }],
  ])("a slot override is refused with %j", async (wrong, errors) => {
    expect(await send(saveSlot, { ...said, ...wrong })).toMatchObject({ kind: "form", errors });
  });

  it("of two changes at once of the same version of a slot override, one is stored and the other is overtaken", async () => {
    const actor = { kind: "command" } as const;
    const nothing = {
      symbol: "XAUUSD",
      timeframe: "H1" as const,
      graceMinutes: null,
      isTrained: null,
      trainEveryHours: null,
    };
    const version = storedValueVersion(nothing);
    const [one, two] = [
      { ...nothing, graceMinutes: 20 },
      { ...nothing, graceMinutes: 30 },
    ];
    const marks = await Promise.all(
      [one, two].map(async (after) => {
        const shown = await changeSlot(db(), after, { version }, actor);
        return shown.outcome === "previewed" ? shown.mark : "";
      }),
    );
    const ends = await Promise.all(
      [one, two].map((after, i) => changeSlot(db(), after, { version, mark: marks[i] }, actor)),
    );
    expect(ends.map(({ outcome }) => outcome).sort()).toEqual(["overtaken", "stored"]);
  });
});
