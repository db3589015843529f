import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { Status } from "@/lib/wire/contracts/status";

export const GET: OperationDeclaration = {
  id: "getStatus",
  tag: "Service",
  summary: "The state of each part of the service and of each slot",
  description:
    "The fields of Health, when each component entered its state, the age of each slot's newest signal, and the key's remaining quota.",
  access: "key",
  ok: { status: 200, schema: Status, description: "200 for any valid key, regardless of the state" },
};
