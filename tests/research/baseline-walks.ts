import { type BaselineSettings, produceBaselineSignals } from "@/lib/engine/baseline";
import type { CostRule } from "@/lib/engine/costs";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { CAUTION_SETTINGS } from "@/lib/settings/caution";
import { simulateWalk, type WalkKind, type WalkOptions } from "./simulated-walk";

const FREE: CostRule = { kind: "absolute", value: 0 };
/** Cost of about a twentieth of a barrier's distance. */
const COST: CostRule = { kind: "fraction", value: 0.0002 };
/** Number of candles in three years: FX H1, FX H4, and H1 of a market that never closes. */
const [FX_H1, FX_H4, ALL_H1] = [18_800, 4_700, 26_280];

interface Walks {
  name: string;
  kind: WalkKind;
  n: number;
  options: WalkOptions;
  cost: CostRule;
}

const fx: WalkOptions = { calendar: "fx" };

/** Walks without a directional edge. */
export const NULL_WALKS: readonly Walks[] = (["two-speed", "clustered"] as const).flatMap((kind) => [
  { name: `${kind}, H1 of FX`, kind, n: FX_H1, options: fx, cost: FREE },
  { name: `${kind}, H1 of FX with costs`, kind, n: FX_H1, options: fx, cost: COST },
  { name: `${kind}, H1 without rhythm`, kind, n: ALL_H1, options: { hasRhythm: false }, cost: FREE },
  { name: `${kind}, H4 of FX`, kind, n: FX_H4, options: { ...fx, hours: 4 }, cost: FREE },
]);

/** Walks with an edge: the drift of a candle in its standard deviations. */
export const EDGE_WALKS: readonly Walks[] = [
  ...[0.05, 0.1, 0.15, 0.2].map((size) => ({ kind: "trend" as const, size })),
  ...[0.01, 0.02, 0.03, 0.05].map((size) => ({ kind: "rise" as const, size })),
].map((edge) => ({
  name: `${edge.kind} of ${edge.size}`,
  kind: "two-speed",
  n: FX_H1,
  options: { ...fx, edge },
  cost: FREE,
}));

/** The first candle at which the baseline gives a direction; null if never. */
export function firstDirectionIndex(
  { kind, n, options, cost }: Walks,
  seed: number,
  settings: Partial<BaselineSettings>,
): number | null {
  const candles = simulateWalk(kind, n, seed, options);
  const drafts = produceBaselineSignals({ candles, fromIndex: 0, toIndex: n, cost, settings });
  const first = drafts.findIndex(({ signal }) => signal !== "NO_TRADE");
  return first < 0 ? null : first;
}

/** Prints, for each caution step, on how many walks the baseline ever gives a direction, and after how many candles. */
export function runBaselineWalks(walks: number, print: (line: string) => void): void {
  for (const one of [...NULL_WALKS, ...EDGE_WALKS]) {
    for (const [step, settings] of Object.entries(CAUTION_SETTINGS)) {
      const first: number[] = [];
      for (let seed = 1; seed <= walks; seed++) {
        const found = firstDirectionIndex(one, seed, settings);
        if (found !== null) first.push(found);
      }
      const share = first.length / walks;
      const [low, high] = wilsonInterval(share, walks).map((end) => (100 * end).toFixed(1));
      const median = first.toSorted((a, b) => a - b)[Math.floor(first.length / 2)];
      print(
        `${one.name}, ${step}: a direction on ${first.length} of ${walks} walks of ${one.n} candles ` +
          `(${(100 * share).toFixed(1)} %, 95 %: ${low} to ${high})${median === undefined ? "" : `, median after ${median}`}`,
      );
    }
  }
}
