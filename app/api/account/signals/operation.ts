import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { AccountSignals, AccountSignalsQuery } from "@/lib/wire/contracts/signals";

export const GET: OperationDeclaration = {
  id: "listAccountSignals",
  tag: "Account",
  summary: "Signals of the last `days` days in the key's scope, newest first",
  description:
    "Signals whose candle closed in the last `days` days, at most `limit` of them. `NO_TRADE` is left out unless `include_no_trade` is true.",
  access: "key",
  query: AccountSignalsQuery,
  ok: { status: 200, schema: AccountSignals, description: "`count` is the number of items in this response" },
};
