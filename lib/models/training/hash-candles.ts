import { createHash } from "node:crypto";
import type { CandleSeries } from "@/lib/market/candles";

/** SHA-256 over the columns of a series, hexadecimal. A training stores it, to identify the candles that it used. */
export function hashCandles(candles: CandleSeries): string {
  const hash = createHash("sha256");
  for (const column of [candles.ts, candles.open, candles.high, candles.low, candles.close, candles.volume]) {
    hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
  return hash.digest("hex");
}
