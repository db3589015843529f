import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { NotTradedRecorded, NotTradedReport } from "@/lib/wire/contracts/executions";

export const POST: OperationDeclaration = {
  id: "reportNotTraded",
  tag: "Executions",
  summary: "Report why a signal was not traded",
  description:
    "Idempotent by `pred_id` and terminal; the last reported reason counts. A signal with a position counts as traded, regardless of reports. `error_code` is the terminal's error code.",
  access: "key",
  body: {
    schema: NotTradedReport,
    example: { pred_id: 48213, reason: "SPREAD" },
  },
  ok: { status: 201, schema: NotTradedRecorded, description: "Recorded; repeating it changes nothing" },
};
