import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { CreateKeyBody, KeyCreated, KeyList, ListKeysQuery } from "@/lib/wire/contracts/admin";

export const POST: OperationDeclaration = {
  id: "createKey",
  tag: "Administration",
  summary: "Open a subscription with a key",
  description:
    "Only this response contains the key in full, with the settings of the EA. With an `email` the key is also mailed. Without `expires_at`, access does not expire. Each call creates a key: after a 503 or no answer, look in the list before you repeat it.",
  access: "admin",
  body: {
    schema: CreateKeyBody,
    example: { user_name: "Ada", email: "ada@example.com", plan_tier: "pro" },
  },
  ok: { status: 201, schema: KeyCreated, description: "The key, shown only here" },
};

export const GET: OperationDeclaration = {
  id: "listKeys",
  tag: "Administration",
  summary: "All keys, masked, newest first",
  description:
    "Active and inactive keys. `q` searches names, addresses, notes and masked keys. Without `limit`, all keys are listed.",
  access: "admin",
  query: ListKeysQuery,
  ok: { status: 200, schema: KeyList, description: "Key records" },
};
