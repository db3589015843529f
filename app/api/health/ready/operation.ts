import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { NotReadyAnswer, ReadyAnswer } from "@/lib/wire/contracts/health";

export const GET: OperationDeclaration = {
  id: "getReady",
  tag: "Service",
  summary: "Whether this instance accepts requests",
  description:
    "For load balancers: the schema is current, keys can be looked up, and the process is not stopping. It responds within a second, even if the database hangs, and no rate limit applies. It does not check whether signals are produced: see `/api/health`.",
  access: "anyone",
  ok: { status: 200, schema: ReadyAnswer, description: "This instance accepts requests" },
  degraded: { schema: NotReadyAnswer, description: "Send requests to another instance" },
  unlimited: true,
  errors: ["bad_request"],
};
