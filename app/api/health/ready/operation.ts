import type { Declaration } from "@/lib/api/openapi/operation";
import { NotReady, Ready } from "@/lib/wire/contracts/health";

export const GET: Declaration = {
  id: "getReady",
  tag: "Service",
  summary: "Whether to send requests here",
  description:
    "For balancers: the schema is current, keys can be looked up, and the process was not told to stop. It answers within a second, also when the database hangs, and no limit applies. Whether signals flow is not asked: that is the matter of `/api/health`.",
  access: "anyone",
  ok: { status: 200, schema: Ready, description: "Requests will be answered" },
  degraded: { schema: NotReady, description: "Requests should go elsewhere" },
  unlimited: true,
  errors: ["bad_request"],
};
