import type { Declaration } from "@/lib/api/openapi/operation";
import { EaStatus, EaStatusQuery } from "@/lib/wire/contracts/ea-status";

export const GET: Declaration = {
  id: "getEaStatus",
  tag: "Account",
  summary: "Diagnostics of the subscriber's EA",
  description:
    "When the client last called, how many of the expected slots it is sent signals for, and how far these lag behind. `explain=true` adds findings, each with what to do about it; `expand=terminals` the terminals that name themselves in `X-Terminal`.",
  access: "key",
  query: EaStatusQuery,
  ok: { status: 200, schema: EaStatus, description: "With `explain=true` also what to mend" },
};
