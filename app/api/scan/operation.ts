import type { Declaration } from "@/lib/api/openapi/operation";
import { Scan, ScanQuery } from "@/lib/wire/contracts/signals";

export const GET: Declaration = {
  id: "scan",
  tag: "Signals",
  summary: "The newest signal of each slot in scope",
  description:
    "Sorted by symbol, then by length of timeframe. `min_confidence` filters the newest signal of each slot. With `wait` and `If-None-Match` the service answers as soon as the list changes, or with 304 after `wait` seconds; a key that stops working meanwhile gets 401 at once. A long poll counts as one request. A slot that the operator pauses has no item, and `Paused-Slots` names it. `expand=validity` adds each signal's number and how long it is valid; `expand=range` adds the expected range of the price within the next 12 candles; `expand=validity,range` adds both. `expand=levels`, alone or after the others, adds a signal's own stop, target and horizon.",
  access: "key",
  query: ScanQuery,
  ok: { status: 200, schema: Scan, description: "One item per slot" },
  conditional: true,
  headers: [
    "Signal-Seq",
    "Next-Signal-At",
    "Paused-Slots",
    "X-Signals-Paused",
    "X-Signals-Delayed",
    "Signal-Receipt",
  ],
  errors: ["not_in_plan", "too_many_open"],
};
