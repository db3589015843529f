import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { AccountMe } from "@/lib/wire/contracts/account";

export const GET: OperationDeclaration = {
  id: "getAccount",
  tag: "Account",
  summary: "The key's subscription and the state of its client",
  description:
    "Symbols and timeframes are null if the key has every slot of its plan; if `expires_at` is null, access does not expire. The key is shown masked.",
  access: "key",
  ok: { status: 200, schema: AccountMe, description: "Account metadata" },
};
