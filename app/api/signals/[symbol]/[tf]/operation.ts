import type { Declaration } from "@/lib/api/openapi/operation";
import { SlotHistory, SlotHistoryQuery } from "@/lib/wire/contracts/signals";

export const GET: Declaration = {
  id: "getSlotHistory",
  tag: "Signals",
  summary: "Signals of one slot, newest first",
  description:
    "`limit` counts from the newest signal. A slot outside the plan of the key is refused with 403.",
  access: "key",
  params: {
    symbol: { description: "Symbol, any case", example: "EURUSD" },
    tf: { description: "Timeframe, any case", example: "H1" },
  },
  query: SlotHistoryQuery,
  ok: { status: 200, schema: SlotHistory, description: "An empty list for a slot without signals" },
  headers: ["Signal-Receipt"],
  errors: ["slot_not_in_plan"],
};
