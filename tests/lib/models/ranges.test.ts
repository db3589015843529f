import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { insertForecastRanges } from "@/db/queries/ranges";
import { ensureSlots } from "@/db/queries/slots";
import { assignBaselineToSlots } from "@/lib/models/producer/assign-baseline-to-slots";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { recordDueForecastRanges } from "@/lib/models/producer/record-due-ranges";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { readCalibration } from "@/lib/signals/quality/calibration";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, ingest, signalItem } from "@/tests/support/market-data";

useDatabase();

const N = 1_300;
const never = new AbortController().signal;
const walk = randomWalk({ n: N, seed: 8 });

/** Stores the candles [from, to) of the walk; the last one closed `back` hours ago. */
async function store(symbol: string, from: number, to: number, back = 0): Promise<number> {
  const slotId = (await ensureSlots(workerDb(), [{ symbol, timeframe: "H1" }], symbolDefaultsOf)).get(
    `${symbol}/H1`,
  )!;
  await upsertCandles(
    workerDb(),
    Array.from({ length: to - from }, (_, k) => ({
      slotId,
      ts: hourlyCandleOpenTime(back + to - 1 - from - k),
      open: walk.open[from + k]!,
      high: walk.high[from + k]!,
      low: walk.low[from + k]!,
      close: walk.close[from + k]!,
      volume: 1,
    })),
  );
  return slotId;
}

const rangesOf = (slotId: number) =>
  workerDb().execute<{
    ts: Date;
    close: number;
    either: number[];
    moved_up: number | null;
    moved_down: number | null;
  }>(
    sql`select ts, close, either, moved_up, moved_down from candle_forecast_ranges where slot_id = ${slotId} order by ts`,
  );

let key = "";
beforeAll(async () => {
  key = (await makeKey({ plan_tier: "pro" })).key;
});

describe("expected ranges", () => {
  it("ranges are computed for new candles only, and returned with expand=range", async () => {
    const slotId = await store("BTCUSD", 0, 1_200);
    await workerDb().execute(sql`update slots set created_at = now() - interval '31 seconds'`);
    await assignBaselineToSlots(workerDb());
    const versions = () =>
      workerDb().execute<{ signals: string }>(sql`select signals from state_versions where id = 1`);
    const [before] = await versions();
    await produceDueSignals(workerDb(), never);
    // The signal and its range are one commit, so long polls wake once.
    const [after] = await versions();
    expect(Number(after!.signals)).toBeGreaterThan(Number(before!.signals));
    expect(await recordDueForecastRanges(workerDb(), never)).toBe(0);
    expect(await versions()).toEqual([after]);
    // The newest candle, and earlier ones that still count as current.
    const made = await rangesOf(slotId);
    expect(made.length).toBeGreaterThanOrEqual(1);
    expect(made.length).toBeLessThanOrEqual(3);

    const { items } = (await call("GET", "/api/scan?expand=range", { key })).json;
    const { range, ...signal } = items[0];
    const stored = (await rangesOf(slotId)).at(-1)!;
    expect(range).toMatchObject({ horizon_candles: 12, close: walk.close[1_199]! });
    expect(Object.values(range.either)).toEqual(stored.either);
    for (const way of ["either", "up", "down"]) {
      const { p10, p50, p80, p90 } = range[way];
      expect([p10, p50, p80, p90].every((distance) => distance > 0)).toBe(true);
      expect([p10, p50, p80, p90]).toEqual([p10, p50, p80, p90].toSorted((a, b) => a - b));
    }
    expect((await call("GET", "/api/scan", { key })).json.items[0]).toEqual(signal);
    const both = (await call("GET", "/api/scan?expand=validity,range", { key })).json.items[0];
    expect(both).toMatchObject({ range, stale: false });
    expect(both.pred_id).toBeGreaterThan(0);
    expect((await call("GET", "/api/scan?expand=ranges", { key })).status).toBe(422);
  });

  it("ranges are also computed for a slot whose signals the operator's own model sends, and change the ETag of the scan with expand=range", async () => {
    await store("ETHUSD", 0, 1_200);
    await ingest("signals", [signalItem({ symbol: "ETHUSD" })]);
    const asked = () => call("GET", "/api/scan?expand=range", { key });
    const before = await asked();
    expect(await recordDueForecastRanges(workerDb(), never)).toBeGreaterThan(0);
    const later = await asked();
    expect(later.headers.get("etag")).not.toBe(before.headers.get("etag"));
    expect(
      later.json.items.find((item: { symbol: string }) => item.symbol === "ETHUSD").range,
    ).not.toBeNull();
  });

  it("ranges are not computed for history or with too few candles", async () => {
    const old = await store("XRPUSD", 0, 1_200, 100);
    const few = await store("SOLUSD", 0, 400);
    await ingest("signals", [signalItem({ symbol: "XRPUSD" }), signalItem({ symbol: "SOLUSD" })]);
    await recordDueForecastRanges(workerDb(), never);
    expect(await rangesOf(old)).toHaveLength(0);
    expect(await rangesOf(few)).toHaveLength(0);
  });

  it("ranges are evaluated on the highs and lows of the next twelve candles, and their coverage is published", async () => {
    const slotId = await store("ADAUSD", 0, 1_213);
    await ingest("signals", [signalItem({ symbol: "ADAUSD" })]);
    // Ranges of two candles thirteen and fourteen hours ago.
    await insertForecastRanges(
      workerDb(),
      [1_198, 1_199].map((index) => {
        const quantiles = [0.001, 0.01, 0.02, 0.03].map((share) => share * walk.close[index]!);
        return {
          slotId,
          ts: hourlyCandleOpenTime(1_212 - index),
          closesAt: hourlyCandleOpenTime(1_211 - index),
          close: walk.close[index]!,
          either: quantiles,
          up: quantiles,
          down: quantiles,
        };
      }),
    );
    expect((await rangesOf(slotId))[0]).toMatchObject({ moved_up: null, moved_down: null });
    await recordDueForecastRanges(workerDb(), never);
    const resolved = (await rangesOf(slotId)).filter((row) => row.moved_up !== null);
    expect(resolved).toHaveLength(2);
    const last = resolved.at(-1)!;
    const index = walk.close.indexOf(last.close);
    const horizon = (column: Float64Array) => [...column.subarray(index + 1, index + 13)];
    expect(last.moved_up).toBeCloseTo(Math.max(0, Math.max(...horizon(walk.high)) - last.close), 9);
    expect(last.moved_down).toBeCloseTo(Math.max(0, last.close - Math.min(...horizon(walk.low))), 9);

    const { json } = await call("GET", "/api/calibration?symbol=ADAUSD&expand=ranges", { key });
    expect(json.ranges).toHaveLength(1);
    const [row] = json.ranges;
    expect(row).toMatchObject({ symbol: "ADAUSD", tf_code: "H1", n: resolved.length });
    const larger = resolved.map((one) => Math.max(one.moved_up!, one.moved_down!));
    const held = resolved.filter(
      (one, i) => larger[i]! > one.either[0]! && larger[i]! <= one.either[3]!,
    ).length;
    expect(row.between_p10_p90).toBeCloseTo(held / resolved.length, 6);
    expect(row.between_ci95[0]).toBeLessThanOrEqual(row.between_p10_p90);
    expect((await call("GET", "/api/calibration?symbol=ADAUSD", { key })).json).not.toHaveProperty("ranges");
  });

  it("the coverage of ranges is cached for a minute, even if no outcome is recorded", async () => {
    const now = new Date();
    const scope = { symbols: ["ADAUSD"], timeframes: null };
    const validFor = async (expand?: "ranges") => {
      const { validUntil } = await readCalibration(
        { ...scope, id: "ada" },
        { days: 30, bins: 10, expand },
        now,
      );
      return validUntil && validUntil.getTime() - now.getTime();
    };
    expect(await validFor("ranges")).toBe(60_000);
    expect(await validFor()).not.toBe(60_000);
  });
});
