import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { POST as act } from "@/app/admin/(area)/settings/calendars/act/route";
import { POST as saveSymbol } from "@/app/admin/(area)/settings/symbols/save/route";
import { db } from "@/db/client";
import { exportSettings, importSettings } from "@/lib/admin/settings/settings-file";
import { isMarketOpen } from "@/lib/market/calendar";
import { setDayOverrides } from "@/lib/market/day-overrides";
import { setOperatorCalendars } from "@/lib/market/operator-calendars";
import { keepCalendarsInSync } from "@/lib/signals/sync-calendars";
import { formRequest, postFormForFlash, signInAdmin, storeSetting } from "@/tests/support/admin-browser";
import { call } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { signalItem } from "@/tests/support/market-data";

useDatabase({ MARKET_FEED: "off" });

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
  keepCalendarsInSync();
});
afterAll(() => {
  setDayOverrides([]);
  setOperatorCalendars([]);
});

const handler =
  (intent: string, fields: Record<string, string>) =>
  (_request: Request, context: { params: Promise<Record<string, never>> }) =>
    act(formRequest(`/admin/settings/calendars/act?intent=${intent}`, fields, { cookie }), context);
const SET = {
  name: "set_share",
  title: "Thailand",
  time_zone: "Asia/Bangkok",
  hours: "Mon-Fri 10:00-12:30\nMon-Fri 14:00-16:30",
  holidays: "01-01\n12-31",
};
/** Posts a calendar form for its preview, then again to store it. Returns the lines of the preview. */
const store = async (intent: string, fields: Record<string, string>) => {
  const preview = await postFormForFlash(handler(intent, fields), {}, fields, cookie);
  if (preview?.kind !== "preview") throw new Error(JSON.stringify(preview));
  const marked = { ...fields, mark: preview.mark };
  expect(await postFormForFlash(handler(intent, marked), {}, marked, cookie)).toMatchObject({ kind: "done" });
  return preview.lines;
};
const refused = (intent: string, fields: Record<string, string>) =>
  postFormForFlash(handler(intent, fields), {}, fields, cookie);

describe("an operator's calendar", () => {
  it("an operator's calendar is stored after its preview and applies at once", async () => {
    expect(await store("save-own", SET)).toEqual([
      "It is open 25 hours a week, on the clock of Asia/Bangkok.",
      "2 days a year without trading.",
      "No symbol uses it yet. Choose it on the page Symbols.",
    ]);
    expect(isMarketOpen("set_share", new Date("2026-07-15T03:00:00Z"))).toBe(true);
    expect(isMarketOpen("set_share", new Date("2026-07-15T06:00:00Z"))).toBe(false);
  });

  it.each([
    ["a built-in name", { name: "fx" }, "name"],
    ["an unknown time zone", { time_zone: "Mars/Olympus" }, "time_zone"],
    ["hours that cannot be read", { hours: "9 to 5" }, "hours"],
    ["a holiday that cannot be read", { holidays: "Christmas" }, "holidays"],
    [
      "hours at the change of the clocks",
      { time_zone: "Europe/Paris", hours: "Sun-Sat 00:00-24:00" },
      "hours",
    ],
  ])("an operator's calendar with %s is refused, naming the field", async (_what, more, field) => {
    const flash = await refused("save-own", { ...SET, name: "other", ...more });
    expect(flash).toMatchObject({ kind: "form", errors: { [field]: expect.any(String) } });
  });

  it("an operator's calendar cannot be removed while a symbol uses it", async () => {
    const symbol = {
      ...{ symbol: "PTT.BK", calendar: "set_share", digits: "2", cost_kind: "absolute", cost_value: "0.1" },
      ...{ description: "", aliases: "" },
    };
    await storeSetting(saveSymbol, {}, symbol, cookie);
    expect(await refused("remove-own", { name: "set_share" })).toMatchObject({
      kind: "failed",
      text: "In use by PTT.BK. Choose another calendar on the page Symbols first.",
    });
    const unknown = await postFormForFlash(saveSymbol, {}, { ...symbol, calendar: "nowhere" }, cookie);
    expect(unknown).toMatchObject({
      kind: "form",
      errors: { calendar: expect.stringContaining("must be a calendar") },
    });
  });

  it("an operator's calendar can be removed when unused, and a supplied one cannot", async () => {
    await store("save-own", { ...SET, name: "spare" });
    await store("remove-own", { name: "spare" });
    expect(await refused("remove-own", { name: "de_index" })).toMatchObject({ kind: "failed" });
  });

  it("an operator's calendar is part of the settings file", async () => {
    const file = await exportSettings(db());
    expect(file.calendars).toContainEqual(expect.objectContaining({ name: "set_share" }));
    const ACTOR = { kind: "command" } as const;
    expect(await importSettings(db(), file, {}, ACTOR)).toMatchObject({ ok: true, changed: [] });
    const wrong = structuredClone(file) as unknown as { symbols: { calendar: string }[] };
    wrong.symbols[0]!.calendar = "nowhere";
    expect(await importSettings(db(), wrong, {}, ACTOR)).toMatchObject({
      ok: false,
      errors: [expect.stringContaining("uses nowhere, which is not a calendar")],
    });
  });
});

describe("the supplied calendars of indices", () => {
  /** Weekdays from 2025 to 2027 without trading, as published by the exchanges of the futures. */
  const CLOSED: Record<string, Record<number, string>> = {
    de_index: {
      2025: "01-01 04-18 04-21 05-01 12-24 12-25 12-26 12-31",
      2026: "01-01 04-03 04-06 05-01 12-24 12-25 12-31",
      2027: "01-01 03-26 03-29 12-24 12-31",
    },
    // 26 December 2026 and 25 and 26 December 2027 are on a weekend.
    uk_index: {
      2025: "01-01 04-18 04-21 05-05 05-26 08-25 12-25 12-26",
      2026: "01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-28",
      2027: "01-01 03-26 03-29 05-03 05-31 08-30 12-27 12-28",
    },
    // Osaka trades index futures on public holidays, except on these days.
    jp_index: { 2025: "01-01 01-02 12-31", 2026: "01-01 01-02 12-31", 2027: "01-01 12-31" },
  };
  /** An hour of UTC at which each market is in the middle of its day. */
  const HOUR: Record<string, number> = { de_index: 11, uk_index: 12, jp_index: 3 };

  it.each(Object.keys(CLOSED))(
    "the supplied calendar %s is closed on the holidays of its exchange",
    (calendar) => {
      for (const [year, days] of Object.entries(CLOSED[calendar] ?? {})) {
        const closed: string[] = [];
        for (let ms = Date.UTC(Number(year), 0, 1); ms < Date.UTC(Number(year) + 1, 0, 1); ms += 86_400_000) {
          const noon = new Date(ms + (HOUR[calendar] ?? 0) * 3_600_000);
          if (noon.getUTCDay() % 6 !== 0 && !isMarketOpen(calendar, noon))
            closed.push(noon.toISOString().slice(5, 10));
        }
        expect([year, closed.join(" ")]).toEqual([year, days]);
      }
    },
  );
});

describe("ingest of a symbol without a calendar", () => {
  const send = (symbol: string) =>
    call("POST", "/admin/ingest/signals", { admin: true, body: { items: [signalItem({ symbol })] } });

  it("ingest of a symbol without a calendar answers with Symbols-Without-Calendar until one is chosen", async () => {
    const header = async (symbol: string) => (await send(symbol)).headers.get("Symbols-Without-Calendar");
    expect(await header("EURUSD")).toBeNull();
    expect(await header("DE40")).toBeNull();
    expect(await header("ABCXYZ")).toBe("ABCXYZ");
    expect(await header("ABCXYZ")).toBe("ABCXYZ");
    await db().execute(sql`update symbols set is_guessed = false where symbol = 'ABCXYZ'`);
    expect(await header("ABCXYZ")).toBeNull();
    const [row] = await db().execute<{ calendar: string }>(
      sql`select calendar from symbols where symbol = 'DE40'`,
    );
    expect(row?.calendar).toBe("de_index");
  });
});
