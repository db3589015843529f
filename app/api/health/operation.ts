import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { Health } from "@/lib/wire/contracts/health";

export const GET: OperationDeclaration = {
  id: "getHealth",
  tag: "Service",
  summary: "Whether signals are delivered on time",
  description:
    "For uptime monitors. The newest signals and candles are compared with the trading calendar, so a closed market is not a fault. `reasons` lists the faults, worst first; it is null if there are none. No rate limit applies.",
  access: "anyone",
  ok: { status: 200, schema: Health, description: "No fault" },
  degraded: { schema: Health, description: "Degraded or down" },
  unlimited: true,
  errors: ["bad_request"],
};
