import type postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import type { SourceCandle } from "@/lib/signals/feeds/source";
import { storeFeedCandles } from "@/lib/signals/feeds/store-feed-candles";
import { ingestCandles } from "@/lib/signals/ingest/ingest-candles";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { listLocks } from "@/tests/support/locks";

useDatabase({ MARKET_FEED: "off" });

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());
beforeEach(() => sql`truncate candles, candle_corrections, feed_slots, feed_files, feeds cascade`);

const slot = { symbol: "EURUSD", timeframe: "H1" } as const;
const at = (hour: number, minute = 0, second = 0) => new Date(Date.UTC(2026, 0, 5, hour, minute, second));
const sent = (hour: number, extra: Partial<SourceCandle> = {}): SourceCandle => ({
  ts: at(hour),
  open: 1.1,
  high: 1.2,
  low: 1,
  close: 1.15,
  volume: 7,
  isComplete: null,
  ...extra,
});
const store = (candles: SourceCandle[], extra: Partial<Parameters<typeof storeFeedCandles>[1]> = {}) =>
  storeFeedCandles(workerDb(), { feed: "oanda", slot, candles, leads: true, receivedAt: at(12), ...extra });
const rows = () => sql`select ts, close from candles order by ts`;
const corrections = () => sql`select * from candle_corrections order by id`;

describe("a feed's candles", () => {
  it("a candle is stored when it has closed: by the source's flag, or half a second after its close by the clock", async () => {
    await store([sent(9), sent(10, { isComplete: false }), sent(11, { isComplete: true })], {
      receivedAt: at(12, 0, 5),
    });
    expect(await rows()).toEqual([
      { ts: at(9), close: 1.15 },
      { ts: at(11), close: 1.15 },
    ]);
    const forming = new Date(at(13).getTime() + 400);
    expect(await store([sent(12)], { receivedAt: forming })).toMatchObject({
      stored: 0,
      refused: 0,
      newest: null,
    });
    const closed = new Date(at(13).getTime() + 500);
    expect(await store([sent(12)], { receivedAt: closed })).toMatchObject({ stored: 1, newest: at(12) });
  });

  it.each<[string, Partial<SourceCandle>, RegExp]>([
    ["is said to be complete an hour ahead", { ts: at(12), isComplete: true }, /closes 60 minutes ahead/],
    ["opens between two candles", { ts: at(9, 30) }, /does not open where a candle of H1 opens/],
    ["has a high below its close", { high: 1.1 }, /high is below open or close/],
    ["has no price", { open: Number.NaN }, /open/],
    ["has no time", { ts: new Date(Number.NaN) }, /time cannot be read/],
  ])("a candle that %s is refused and counted, and the others are stored", async (_what, wrong, reason) => {
    const result = await store([sent(8), sent(9, wrong)]);
    expect(result).toMatchObject({ stored: 1, refused: 1, refusal: expect.stringMatching(reason) });
    expect(await rows()).toHaveLength(1);
    expect((await sql`select n_refused::int as n, last_refusal from feed_slots`)[0]).toEqual({
      n: 1,
      last_refusal: result.refusal,
    });
  });

  it("delays are recorded for candles that arrived before the next close, after the first start", async () => {
    await store([sent(7), sent(8)], { receivedAt: at(9, 30) });
    await store([sent(8), sent(9), sent(10)], { receivedAt: at(11, 0, 2) });
    await store([sent(10), sent(11)], { receivedAt: at(12, 0, 3) });
    expect((await sql`select delays_ms, last_ts from feed_slots`)[0]).toEqual({
      delays_ms: [2_000, 3_000],
      last_ts: at(11),
    });
  });
});

describe("a changed closed candle", () => {
  it("a changed closed candle leaves a row with its previous values and the feed's name", async () => {
    await store([sent(9)]);
    await store([sent(9, { close: 1.16 })]);
    await store([sent(9, { close: 1.16 })]);
    expect(await corrections()).toEqual([
      expect.objectContaining({
        source: "oanda",
        applied: true,
        ts: at(9),
        old_close: 1.15,
        new_close: 1.16,
      }),
    ]);
  });

  it("a change of a closed candle, ingested or by SQL, leaves a row, and a change of a forming one leaves none", async () => {
    await ingestCandles(workerDb(), [{ ...slot, ...sent(9) }]);
    await ingestCandles(workerDb(), [{ ...slot, ...sent(9, { volume: 8 }) }]);
    await sql`update candles set close = 1.17`;
    expect(await corrections()).toEqual([
      expect.objectContaining({ source: "ingest", old_volume: 7, new_volume: 8 }),
      expect.objectContaining({ source: "ingest", old_close: 1.15, new_close: 1.17 }),
    ]);
    await sql`delete from candle_corrections`;
    const forming = { ...slot, ...sent(0), ts: new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000) };
    await ingestCandles(workerDb(), [forming]);
    await ingestCandles(workerDb(), [{ ...forming, close: 1.18 }]);
    expect(await corrections()).toEqual([]);
  });
});

describe("a secondary feed", () => {
  const second = (candles: SourceCandle[]) => store(candles, { feed: "second", leads: false });

  it("a secondary feed fills gaps and changes no stored candle; each candle is compared once", async () => {
    await store([sent(8), sent(9)]);
    await second([sent(8, { close: 1.1501 }), sent(9), sent(10)]);
    await second([sent(9), sent(10)]);
    expect(await rows()).toEqual([8, 9, 10].map((hour) => ({ ts: at(hour), close: 1.15 })));
    const [row] =
      await sql`select n_compared::int as n, n_differing::int as d, max_diff_bps from feed_slots where feed = 'second'`;
    expect(row).toMatchObject({ n: 2, d: 0 });
    expect(row?.max_diff_bps).toBeCloseTo(0.87, 2);
    expect(await corrections()).toEqual([]);
  });

  it("a secondary feed waits for the leading one, and is compared with the candles that the leading one stored", async () => {
    await store([sent(7)]);
    const others: Promise<unknown>[] = [];
    await workerDb().transaction(async (tx) => {
      const leading = { feed: "oanda", slot, candles: [sent(8)], leads: true, receivedAt: at(12) };
      await storeFeedCandles(tx, leading);
      others.push(second([sent(8, { close: 1.16 })]));
      const nWaiting = async () => (await listLocks(sql)).filter(({ granted }) => !granted).length;
      await expect.poll(nWaiting, { interval: 10, timeout: 10_000 }).toBe(1);
    });
    await Promise.all(others);
    expect(await rows()).toEqual([7, 8].map((hour) => ({ ts: at(hour), close: 1.15 })));
    expect(await corrections()).toEqual([
      expect.objectContaining({ source: "second", applied: false, old_close: 1.15, new_close: 1.16 }),
    ]);
  });

  it("a difference of a secondary feed above a tenth of a percent leaves a row", async () => {
    await store([sent(8)]);
    await second([sent(8, { close: 1.16 })]);
    expect(await corrections()).toEqual([
      expect.objectContaining({ source: "second", applied: false, old_close: 1.15, new_close: 1.16 }),
    ]);
  });
});
