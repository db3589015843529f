import type { Declaration } from "@/lib/api/openapi/operation";
import { Health } from "@/lib/wire/contracts/health";

export const GET: Declaration = {
  id: "getHealth",
  tag: "Service",
  summary: "Whether signals flow",
  description:
    "For uptime monitors. The newest signals and candles are held against the trading calendar, so that a closed market is no fault. `reasons` names what is wrong, worst first, and is null when all is well. No limit applies.",
  access: "anyone",
  ok: { status: 200, schema: Health, description: "All is well" },
  degraded: { schema: Health, description: "Degraded or down" },
  unlimited: true,
  errors: ["bad_request"],
};
