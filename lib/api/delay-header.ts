import type { Scope } from "@/lib/access/plans";

/** Says to a try-out key how many candles late it sees signals; nothing to every other key. */
export const delayHeader = ({ delayCandles }: Scope): Record<string, string> =>
  delayCandles === undefined ? {} : { "X-Signals-Delayed": String(delayCandles) };
