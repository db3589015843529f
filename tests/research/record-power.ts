import { uniformSource } from "@/lib/engine/random";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { evidenceNeeded, evidenceOfSlot } from "@/lib/signals/record/figures";
import { toMicro } from "@/lib/signals/record/fixed-point";
import { initialScoringState, noIndependentEnds, scoreNextSignal } from "@/lib/signals/record/score";
import type { Timeframe } from "@/lib/vocabulary";
import { normalSource } from "@/tests/lib/engine/normal-source";

const HORIZON = 12;
const DAYS = 365;
/** Spread of a result around its mean, in R. */
const SPREAD_R = 0.9;

/**
 * The day on which the record of one slot first proves an edge in its directions; null: not within a year. Each candle
 * has a trade, whose result is its share of the walk's next twelve steps plus `meanR`, at most 1 R either way, so that
 * results overlap as they do in a market.
 */
function provedOn(timeframe: Timeframe, meanR: number, seed: number): number | null {
  const normal = normalSource(uniformSource(seed));
  const minutes = timeframeMinutes(timeframe);
  const perDay = 1_440 / minutes;
  const steps = Float64Array.from({ length: DAYS * perDay + HORIZON }, normal);
  const [busy, history] = [noIndependentEnds(), initialScoringState()];
  const [betR, evidence] = [new Float64Array(DAYS), new Float64Array(DAYS)];
  for (let day = 0; day < DAYS; day++) {
    for (let i = day * perDay; i < (day + 1) * perDay; i++) {
      const move = steps.subarray(i, i + HORIZON).reduce((sum, step) => sum + step, 0) / Math.sqrt(HORIZON);
      const r = toMicro(Math.max(-1, Math.min(1, meanR + SPREAD_R * move)));
      const closesS = i * minutes * 60;
      const { forecast } = scoreNextSignal(
        {
          ...{ symbol: "WALK", timeframe, ts: new Date(1_000 * closesS), modelV: "edge", signal: "BUY" },
          ...{ probs: [0.4, 0.3, 0.3], label: "BUY", buyR: r, sellR: -r, costR: 0, hasOwnLevels: false },
          ...{ closesS, horizonEndS: closesS + HORIZON * minutes * 60 },
        },
        busy,
        history,
      );
      betR[day] = (betR[day] ?? 0) + forecast.betR;
    }
    const found = evidenceOfSlot({ betR: betR.subarray(0, day + 1), evidence }, timeframe);
    if (found.direction >= evidenceNeeded(1)) return day + 1;
  }
  return null;
}

/** Prints how often and when the record of one slot proves edges of several sizes within a year. */
export function runRecordPower(samples: number, print: (line: string) => void): void {
  for (const timeframe of ["H1", "M15"] as const)
    for (const meanR of [0, 0.05, 0.1, 0.2]) {
      const days = Array.from({ length: samples }, (_, i) => provedOn(timeframe, meanR, i + 1))
        .filter((day) => day !== null)
        .toSorted((a, b) => a - b);
      const when = days.length === 0 ? "" : `, in the median on day ${days[Math.floor(days.length / 2)]}`;
      print(`${timeframe}, ${meanR} R a trade: proved within a year in ${days.length} of ${samples}${when}`);
    }
}
