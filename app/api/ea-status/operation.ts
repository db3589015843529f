import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { EaStatus, EaStatusQuery } from "@/lib/wire/contracts/ea-status";

export const GET: OperationDeclaration = {
  id: "getEaStatus",
  tag: "Account",
  summary: "Diagnostics of the subscriber's EA",
  description:
    "The time of the last call, how many of the expected slots have signals for the client, and how far these lag behind. `explain=true` adds diagnostics in `findings`, each with its remedy; `expand=terminals` adds the terminals that send the header `X-Terminal`. The call itself counts as a call of the client, so a monitor that uses the client's key always finds it online.",
  access: "key",
  query: EaStatusQuery,
  ok: {
    status: 200,
    schema: EaStatus,
    description: "State of the client, with diagnostics if `explain=true`",
  },
};
