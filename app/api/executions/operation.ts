import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { ExecutionRecorded } from "@/lib/wire/contracts/executions";
import { executionReportSchema } from "@/lib/wire/execution-report";

export const POST: OperationDeclaration = {
  id: "reportExecution",
  tag: "Executions",
  summary: "Report that a position was opened or closed",
  description:
    "Idempotent by `ticket`. The first report of a ticket requires `ticket`, `symbol`, `timeframe` and `signal`; later ones require only `ticket`. For 72 hours after a key expires, it can still report the closing of a known ticket.",
  access: "key",
  body: {
    schema: executionReportSchema,
    example: {
      ticket: 1234567890123,
      symbol: "EURUSD",
      timeframe: "H1",
      signal: "BUY",
      confidence: 0.52,
      opened_at: "2026-11-20T10:00:05Z",
      entry_price: 1.0842,
    },
  },
  ok: { status: 201, schema: ExecutionRecorded, description: "Recorded; repeating it changes nothing" },
};
