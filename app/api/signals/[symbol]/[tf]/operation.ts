import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { SlotHistory, SlotHistoryQuery } from "@/lib/wire/contracts/signals";

export const GET: OperationDeclaration = {
  id: "getSlotHistory",
  tag: "Signals",
  summary: "Signals of one slot, newest first",
  description: "Returns the newest `limit` signals. A slot outside the key's plan is refused with 403.",
  access: "key",
  params: {
    symbol: { description: "Symbol, in upper or lower case", example: "EURUSD" },
    tf: { description: "Timeframe, in upper or lower case", example: "H1" },
  },
  query: SlotHistoryQuery,
  ok: { status: 200, schema: SlotHistory, description: "The signals; an empty list if the slot has none" },
  headers: ["Signal-Receipt"],
  errors: ["slot_not_in_plan"],
};
