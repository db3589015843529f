import { classOfSignal } from "@/lib/engine/classes";
import type { Direction } from "@/lib/vocabulary";

const N_CLASSES = 3;
/** Weight of a third for each class, in outcomes: three horizons, since outcomes of one horizon overlap. */
const THIRDS_OUTCOMES = 36;

/** Outcomes of a slot, in the order of the ledger, as far as a signal could know them. */
export interface KnownClasses {
  /** Outcomes whose horizon was over at the last signal: BUY, SELL, NO_TRADE. */
  counts: number[];
  /** The others: end of the horizon in epoch seconds, and class 0..2. */
  open: { endS: number; happened: number }[];
}

export const noClasses = (): KnownClasses => ({ counts: new Array(N_CLASSES).fill(0), open: [] });

/**
 * Class frequencies of a slot that everyone could know when a candle closed: of the outcomes that are over by then,
 * pulled towards a third each while there are few. Moves these from `open` to `counts`.
 *
 * The record computes them from the ledger, because a model that states its own could choose bad ones and beat them
 * without knowing anything.
 */
export function frequenciesAt(known: KnownClasses, closesS: number): number[] {
  const { counts } = known;
  for (const { endS, happened } of known.open)
    if (endS <= closesS) counts[happened] = (counts[happened] ?? 0) + 1;
  known.open = known.open.filter(({ endS }) => endS > closesS);
  const n = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => (THIRDS_OUTCOMES / N_CLASSES + count) / (THIRDS_OUTCOMES + n));
}

export function addClass(known: KnownClasses, label: Direction, endS: number): void {
  known.open.push({ endS, happened: classOfSignal(label) });
}

/** As numbers, to be stored. */
export const writeClasses = ({ counts, open }: KnownClasses): number[] => [
  ...counts,
  ...open.flatMap(({ endS, happened }) => [endS, happened]),
];

export function readClasses(numbers: readonly number[]): KnownClasses {
  const counts = numbers.slice(0, N_CLASSES);
  const open: KnownClasses["open"] = [];
  for (let i = N_CLASSES; i + 1 < numbers.length; i += 2)
    open.push({ endS: numbers[i] ?? 0, happened: numbers[i + 1] ?? 0 });
  return { counts, open };
}
