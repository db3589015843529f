import type { Declaration } from "@/lib/api/openapi/operation";
import { NotTradedRecorded, NotTradedReport } from "@/lib/wire/contracts/executions";

export const POST: Declaration = {
  id: "reportNotTraded",
  tag: "Executions",
  summary: "Report why a signal was not traded",
  description:
    "Idempotent by `pred_id` and terminal; the reason told last counts. A signal that has a position counts as traded whatever was told. `error_code` is the terminal's own.",
  access: "key",
  body: {
    schema: NotTradedReport,
    example: { pred_id: 48213, reason: "SPREAD" },
  },
  ok: { status: 201, schema: NotTradedRecorded, description: "Recorded, or known already" },
};
