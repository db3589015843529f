import { classOfSignal } from "@/lib/engine/classes";
import type { Direction } from "@/lib/vocabulary";

const N_CLASSES = 3;
/**
 * Weight, in outcomes, of initial frequencies of a third each: three horizons, because outcomes of one horizon overlap.
 */
const THIRDS_OUTCOMES = 36;

/**
 * Outcomes of a slot, in the order of the ledger, divided by whether they were known at the close of the last signal's
 * candle.
 */
export interface OutcomeClassHistory {
  /** Number of BUY, SELL and NO_TRADE among the outcomes whose horizon was over then. */
  counts: number[];
  /** The other outcomes: end of the horizon in epoch seconds, and class 0..2. */
  open: { endS: number; happened: number }[];
}

export const emptyClassHistory = (): OutcomeClassHistory => ({
  counts: new Array(N_CLASSES).fill(0),
  open: [],
});

/**
 * Class frequencies of a slot that were publicly known when a candle closed: those of the outcomes that are over by
 * then, shrunk towards a third each. Moves these outcomes from `open` to `counts`.
 *
 * The record computes the frequencies from the ledger, because a model that states its own could state bad ones and
 * beat them without any skill.
 */
export function advanceFrequenciesTo(known: OutcomeClassHistory, closesS: number): number[] {
  const { counts } = known;
  for (const { endS, happened } of known.open)
    if (endS <= closesS) counts[happened] = (counts[happened] ?? 0) + 1;
  known.open = known.open.filter(({ endS }) => endS > closesS);
  const n = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => (THIRDS_OUTCOMES / N_CLASSES + count) / (THIRDS_OUTCOMES + n));
}

export function addOutcomeClass(known: OutcomeClassHistory, label: Direction, endS: number): void {
  known.open.push({ endS, happened: classOfSignal(label) });
}

/** Known classes as a list of numbers, to be stored. */
export const encodeClasses = ({ counts, open }: OutcomeClassHistory): number[] => [
  ...counts,
  ...open.flatMap(({ endS, happened }) => [endS, happened]),
];

export function decodeClasses(numbers: readonly number[]): OutcomeClassHistory {
  const counts = numbers.slice(0, N_CLASSES);
  const open: OutcomeClassHistory["open"] = [];
  for (let i = N_CLASSES; i + 1 < numbers.length; i += 2)
    open.push({ endS: numbers[i] ?? 0, happened: numbers[i + 1] ?? 0 });
  return { counts, open };
}
