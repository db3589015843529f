import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { KeyRotated } from "@/lib/wire/contracts/account";

export const POST: OperationDeclaration = {
  id: "regenerateKey",
  tag: "Account",
  summary: "Replace the presented key",
  description: "The previous key stops working at once. No body is needed. The new key is also mailed.",
  access: "key",
  ok: { status: 200, schema: KeyRotated, description: "The new key, shown only here" },
  errors: ["owner_key_in_environment"],
};
