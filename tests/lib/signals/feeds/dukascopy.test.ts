import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { workerDb } from "@/db/client";
import { fillFromDukascopy, type LoadDukascopy, loadDukascopy } from "@/lib/signals/feeds/dukascopy";
import { ingestCandles } from "@/lib/signals/ingest/ingest-candles";
import type { Timeframe } from "@/lib/vocabulary";
import { type CandleServer, startCandleServer, trueCandle } from "@/tests/support/candle-server";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { isInstalled, loadersOf } from "@/tests/support/optional-library";

useDatabase({ MARKET_FEED: "off" });

const STEP_MS = { h1: 3_600_000, m1: 60_000, d1: 86_400_000 } as const;
const HOUR_MS = STEP_MS.h1;

/** Returns the documented format, for machines without the optional library. */
const plainHistory: LoadDukascopy = async () => ({
  async getHistoricalRates({ instrument, timeframe, dates: { from, to } }) {
    if (instrument !== "eurusd") throw { validationErrors: [{ message: "no such instrument" }] };
    if (server.fault("EUR-USD") === "500") throw new Error("Request failed with status 500");
    const step = STEP_MS[timeframe as keyof typeof STEP_MS];
    const rows: number[][] = [];
    for (let ms = Math.ceil(from.getTime() / step) * step; ms < to.getTime() && ms < Date.now(); ms += step) {
      const { open, high, low, close, volume } = trueCandle("EUR-USD", NAMES[timeframe] ?? "H1", ms);
      rows.push([ms, open, high, low, close, volume]);
    }
    return rows;
  },
});
const NAMES: Record<string, Timeframe> = { m1: "M1", h1: "H1", d1: "D1" };

const isThere = await isInstalled(loadDukascopy);
const LOADERS = loadersOf<LoadDukascopy>("dukascopy-node", isThere, {
  documented: plainHistory,
  own: loadDukascopy,
});

let server: CandleServer;

describe.each(LOADERS)("history from Dukascopy, by %s", (_name, load) => {
  const slot = { symbol: "EURUSD", timeframe: "H1", instrument: "eurusd" } as const;
  const from = new Date("2025-11-20T05:00:00Z");
  const to = new Date("2026-02-03T00:00:00Z");
  const hours = (to.getTime() - from.getTime()) / HOUR_MS;
  let sql: postgres.Sql;
  beforeAll(() => {
    sql = connectDirectly(1);
  });
  afterAll(() => sql.end());
  beforeEach(async () => {
    await sql`truncate candles, candle_corrections, feed_slots, feeds cascade`;
    server = await startCandleServer();
    const real = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
      const url = new URL(String(input));
      return real(
        url.pathname.startsWith("/v1/candles/") ? `${server.url}${url.pathname}${url.search}` : input,
        init,
      );
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await server.close();
  });

  const fill = (slots: Parameters<typeof fillFromDukascopy>[1]["slots"] = [slot], since = from) => {
    const told: { from: Date; sent: number; stored: number }[] = [];
    return fillFromDukascopy(workerDb(), { slots, from: since, to }, (one) => told.push(one), load).then(
      () => told,
    );
  };
  const rows = (timeframe: Timeframe = "H1") =>
    sql<{ ts: Date; open: number; high: number; low: number; close: number; volume: number }[]>`
      select c.ts, c.open, c.high, c.low, c.close, c.volume from candles c join slots s on s.id = c.slot_id
       where s.timeframe = ${timeframe} order by c.ts`;

  it("Dukascopy's history is loaded in chunks, each candle once and unchanged, and a repetition changes nothing", async () => {
    const told = await fill([slot, { ...slot, timeframe: "D1" }]);
    expect(told.map(({ stored }) => stored)).toEqual([hours, 74]);
    for (const { ts, ...prices } of await rows())
      expect({ ...prices, ts: ts.getTime() }).toEqual(trueCandle("EUR-USD", "H1", ts.getTime()));
    expect((await fill()).map(({ sent, stored }) => [sent, stored])).toEqual([[hours, 0]]);
    expect(await rows()).toHaveLength(hours);
  });

  it("Dukascopy's M1 history is requested ten days at a time", async () => {
    const told = await fill([{ ...slot, timeframe: "M1" }], new Date("2026-01-18T12:00:00Z"));
    expect(told.map((one) => one.from.toISOString().slice(0, 10))).toEqual(["2026-01-18", "2026-01-28"]);
    expect(await rows("M1")).toHaveLength(15.5 * 1440);
  });

  it("loading Dukascopy's history keeps stored candles, and records large differences", async () => {
    const ts = new Date("2026-01-05T10:00:00Z");
    const own = { ...trueCandle("EUR-USD", "H1", ts.getTime()), ts, close: 9, high: 9 };
    await ingestCandles(workerDb(), [{ symbol: "EURUSD", timeframe: "H1", ...own }]);
    expect((await fill()).map(({ stored }) => stored)).toEqual([hours - 1]);
    expect((await rows()).find((row) => row.ts.getTime() === ts.getTime())?.close).toBe(9);
    const noted = await sql`select source, applied, old_close from candle_corrections`;
    expect(noted).toEqual([{ source: "dukascopy", applied: false, old_close: 9 }]);
  });

  it("loading history fails with a message when Dukascopy does not answer, stores nothing of that chunk, and resumes", async () => {
    server.fault = () => "500";
    await expect(fill()).rejects.toThrow(/EURUSD H1 from 2025-11-20: Dukascopy did not answer/);
    expect(await rows()).toHaveLength(0);
    server.fault = () => null;
    await fill();
    expect(await rows()).toHaveLength(hours);
  }, 30_000);

  it.each([
    [{ ...slot, instrument: "nosuch" }, /Dukascopy knows no nosuch/],
    [{ ...slot, timeframe: "W1" }, /Dukascopy has no W1/],
  ] as const)(
    "an instrument or a timeframe that Dukascopy does not offer is refused",
    async (wrong, said) => {
      await expect(fill([wrong])).rejects.toThrow(said);
    },
  );
});

describe("a missing library", () => {
  it.skipIf(isThere)(
    "a missing dukascopy-node library is named with the command that installs it",
    async () => {
      await expect(loadDukascopy()).rejects.toThrow("npm install dukascopy-node@1.50.0");
    },
  );
});
