import type { Declaration } from "@/lib/api/openapi/operation";
import { Live } from "@/lib/wire/contracts/health";

export const GET: Declaration = {
  id: "getLive",
  tag: "Service",
  summary: "Whether the process answers",
  description:
    "For supervisors: a process that does not answer should be started again. Nothing else is asked, and no limit applies.",
  access: "anyone",
  ok: { status: 200, schema: Live, description: "The process answers" },
  unlimited: true,
  errors: ["bad_request"],
};
