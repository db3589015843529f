import type { Declaration } from "@/lib/api/openapi/operation";
import { AccountMe } from "@/lib/wire/contracts/account";

export const GET: Declaration = {
  id: "getAccount",
  tag: "Account",
  summary: "The key's subscription and the state of its client",
  description:
    "A limit that is null does not apply: access without `expires_at` has no end. The key is shown masked.",
  access: "key",
  ok: { status: 200, schema: AccountMe, description: "Account metadata" },
};
