import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { KeyRevoked } from "@/lib/wire/contracts/admin";

export const DELETE: OperationDeclaration = {
  id: "revokeKey",
  tag: "Administration",
  summary: "Revoke a key permanently",
  description: "The next request with the key is refused. Repeating the call changes nothing.",
  access: "admin",
  params: { key_id: { description: "Id of the key", example: 17, integer: true } },
  ok: { status: 200, schema: KeyRevoked, description: "The key is revoked; it may have been revoked before" },
  errors: ["not_found", "validation_failed"],
};
