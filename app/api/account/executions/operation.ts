import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { AccountExecutions, AccountExecutionsQuery } from "@/lib/wire/contracts/executions";

export const GET: OperationDeclaration = {
  id: "listAccountExecutions",
  tag: "Account",
  summary: "Positions opened in the last `days` days, newest first, with totals",
  description:
    "The summary covers every execution of the window, regardless of `limit`. `expand=details` adds `volume`, `commission`, `swap`, `currency`, `magic` and `comment` to each execution whose reports contain them, and their sums by currency to the summary. The totals add `pnl` as it was reported: if the key's accounts have different currencies, add it up by `currency` instead.",
  access: "key",
  query: AccountExecutionsQuery,
  ok: { status: 200, schema: AccountExecutions, description: "Executions and their totals" },
};
