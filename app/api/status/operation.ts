import type { Declaration } from "@/lib/api/openapi/operation";
import { Status } from "@/lib/wire/contracts/status";

export const GET: Declaration = {
  id: "getStatus",
  tag: "Service",
  summary: "The state of each part of the service and of each slot",
  description:
    "The fields of Health, each component with the time since which it has been in its state, each slot with the age of its newest signal, and the rest of the key's quota.",
  access: "key",
  ok: { status: 200, schema: Status, description: "200 for any valid key, regardless of the state" },
};
