import type { Declaration } from "@/lib/api/openapi/operation";
import { KeyRevoked } from "@/lib/wire/contracts/admin";

export const DELETE: Declaration = {
  id: "revokeKey",
  tag: "Administration",
  summary: "Switch a key off for good",
  description: "The very next request with the key is refused. The same again changes nothing.",
  access: "admin",
  params: { key_id: { description: "Id of the key", example: 17, integer: true } },
  ok: { status: 200, schema: KeyRevoked, description: "Off, now or already" },
  errors: ["not_found", "validation_failed"],
};
