import type { Scope } from "@/lib/access/plans";

/** The header `X-Signals-Delayed` with the delay of a try-out key in candles; no header for other keys. */
export const delayHeader = ({ delayCandles }: Scope): Record<string, string> =>
  delayCandles === undefined ? {} : { "X-Signals-Delayed": String(delayCandles) };
