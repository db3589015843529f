import { describe, expect, it } from "vitest";
import { LEVELS_RULE, levelDistances, outcomeAtDistance } from "@/lib/engine/outcome";
import { uniformSource } from "@/lib/engine/random";
import { makeCandleSeries } from "@/lib/market/candles";
import { evidenceNeeded, evidenceOfSlot } from "@/lib/signals/record/figures";
import { micro } from "@/lib/signals/record/fixed-point";
import { noHistory, noOverlaps, scoreOf } from "@/lib/signals/record/score";
import { DAY_MS, HOUR_MS, SECOND_MS } from "@/lib/time";
import { normalSource } from "@/tests/lib/engine/synthetic";

const DAYS = 500;
/** A market of stocks: eight hours a day. */
const OPEN_HOURS = 8;
const STEPS = 60;
const STEP = 0.0003;

/** A walk without drift whose price jumps overnight by about as much as it moves in the day. */
function walkWithGaps(seed: number) {
  const normal = normalSource(uniformSource(seed));
  let price = 100;
  const rows: Parameters<typeof makeCandleSeries>[0][number][] = [];
  for (let i = 0; i < DAYS * OPEN_HOURS; i++) {
    if (i % OPEN_HOURS === 0) price += 100 * STEP * Math.sqrt(OPEN_HOURS * STEPS) * normal();
    const open = price;
    let [high, low] = [open, open];
    for (let k = 0; k < STEPS; k++) {
      price += 100 * STEP * normal();
      high = Math.max(high, price);
      low = Math.min(low, price);
    }
    const ts = Math.floor(i / OPEN_HOURS) * DAY_MS + (9 + (i % OPEN_HOURS)) * HOUR_MS;
    rows.push({ ts, open, high, low, close: price, volume: 1 });
  }
  return makeCandleSeries(rows);
}

/** Whether the record ever claims an edge of a BUY at each close with a stop at `distance`, checked every day. */
function isEverClaimed(seed: number, distance: number, target: number | null): boolean {
  const candles = walkWithGaps(seed);
  const [busy, history] = [noOverlaps(), noHistory()];
  const betR = new Float64Array(DAYS);
  for (let day = 0; day < DAYS - 2; day++) {
    const index = day * OPEN_HOURS + OPEN_HOURS - 1;
    const entry = candles.close[index]!;
    const stop = entry - distance;
    const levels = levelDistances("BUY", entry, {
      stop,
      target: target === null ? null : entry + target,
      horizonCandles: 1,
    });
    const outcome =
      levels && outcomeAtDistance({ candles, index, ...levels, cost: { kind: "absolute", value: 0 } });
    if (!outcome || outcome === "no_history") throw new Error("judged");
    const closesS = (candles.ts[index]! + HOUR_MS) / SECOND_MS;
    const { forecast } = scoreOf(
      {
        ...{ symbol: "GAPS", timeframe: "H1", ts: new Date(candles.ts[index]!), modelV: "m", signal: "BUY" },
        ...{
          probs: [1, 0, 0],
          label: outcome.label,
          costR: 0,
          hasOwnLevels: outcome.ruleVersion === LEVELS_RULE,
        },
        ...{ buyR: micro(outcome.buy.netR), sellR: micro(outcome.sell.netR) },
        ...{ closesS, horizonEndS: (candles.ts[index + 12]! + HOUR_MS) / SECOND_MS },
      },
      busy,
      history,
    );
    betR[day] = (betR[day] ?? 0) + forecast.betR;
    const found = evidenceOfSlot({ betR: betR.subarray(0, day + 1), evidence: new Float64Array() }, "H1");
    if (found.direction >= evidenceNeeded(1)) return true;
  }
  return false;
}

describe("stops before a gap", () => {
  it.each([
    [0.01, null],
    [0.05, null],
    [0.2, 0.4],
    [0.5, 5],
  ])("at a distance of %s, with a target at %s, prove no edge on a walk without one", (distance, target) => {
    const claimed = Array.from({ length: 20 }, (_, seed) => isEverClaimed(seed + 1, distance, target));
    expect(claimed.filter(Boolean).length).toBeLessThanOrEqual(2);
  });
});
