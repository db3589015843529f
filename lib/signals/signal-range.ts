import type { z } from "zod";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import type { SignalRange as Contract } from "@/lib/wire/contracts/signals";

/** The forecast price range of a signal, as the API returns it. */
export type SignalRange = z.output<typeof Contract>;

/** Stored forecast range of a signal's candle. All fields are null if there is none. */
interface KnownRange {
  rangeClose: number | null;
  either: number[] | null;
  up: number[] | null;
  down: number[] | null;
}

/** Converts a stored range to the form of the API; null: the signal's candle has no range. */
export function toSignalRange({ rangeClose, either, up, down }: KnownRange): SignalRange | null {
  if (rangeClose === null || either === null || up === null || down === null) return null;
  return {
    horizon_candles: OUTCOME_RULE.horizonCandles,
    close: rangeClose,
    either: quantiles(either),
    up: quantiles(up),
    down: quantiles(down),
  };
}

function quantiles([p10 = 0, p50 = 0, p80 = 0, p90 = 0]: number[]) {
  return { p10, p50, p80, p90 };
}
