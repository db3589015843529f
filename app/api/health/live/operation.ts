import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { LivenessAnswer } from "@/lib/wire/contracts/health";

export const GET: OperationDeclaration = {
  id: "getLive",
  tag: "Service",
  summary: "Whether the process responds",
  description:
    "For supervisors: a process that does not respond should be restarted. Nothing else is checked, and no rate limit applies.",
  access: "anyone",
  ok: { status: 200, schema: LivenessAnswer, description: "The process responds" },
  unlimited: true,
  errors: ["bad_request"],
};
