import type { Declaration } from "@/lib/api/openapi/operation";
import { Scan, ScanQuery } from "@/lib/wire/contracts/signals";

export const GET: Declaration = {
  id: "scan",
  tag: "Signals",
  summary: "The newest signal of each slot in scope",
  description:
    "Sorted by symbol, then by length of timeframe. `min_confidence` filters after the newest signal of each slot was chosen. With `wait` and `If-None-Match` the answer comes when the list differs from the one held, at the latest after so many seconds with 304; a key that ends meanwhile gets its 401 at once. A wait counts once against the limit. While the operator pauses a slot it has no item here, and `Paused-Slots` names it. With `expand=validity` each item has the number of its signal and how long it counts; with `expand=range` how far the price is said to move within the next 12 candles; with `expand=validity,range` both. `expand=levels`, alone or after the others, adds the stop, target and horizon that a signal brings itself.",
  access: "key",
  query: ScanQuery,
  ok: { status: 200, schema: Scan, description: "One item per slot" },
  conditional: true,
  headers: ["Signal-Seq", "Next-Signal-At", "Paused-Slots", "X-Signals-Paused", "Signal-Receipt"],
  errors: ["not_in_plan", "too_many_open"],
};
