import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { Scan, ScanQuery } from "@/lib/wire/contracts/signals";

export const GET: OperationDeclaration = {
  id: "scan",
  tag: "Signals",
  summary: "The newest signal of each slot in the key's scope",
  description:
    "Sorted by symbol, then from the shortest timeframe to the longest. A slot whose newest signal is below `min_confidence` is left out. With `wait` and `If-None-Match` the service responds as soon as the list changes, or with 304 after `wait` seconds; if the key stops working meanwhile, it responds with 401 at once. A long poll counts as one request. A slot that the operator has paused is left out, and the header `Paused-Slots` names it. `expand=validity` adds each signal's number and how long it is valid; `expand=range` adds the expected range of the price within the next 12 candles; `expand=levels` adds the stop, target and horizon of signals that have their own. Several are separated by commas, in any order.",
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
