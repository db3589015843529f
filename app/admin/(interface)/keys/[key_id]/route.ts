import { db } from "@/db/client";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { respond } from "@/lib/api/answer";
import { adminSecretActor } from "@/lib/api/request-actor";
import { requireAdministrator } from "@/lib/api/require-admin";
import { route } from "@/lib/api/route";
import { KeyRevoked } from "@/lib/wire/contracts/admin";
import { AppError, invalidField } from "@/lib/wire/errors";

const MAX_ID = 2_147_483_647;

/** DELETE /admin/keys/{key_id}: revokes a key for good. */
export const DELETE = route<{ key_id: string }>(async (request, params) => {
  await requireAdministrator(request);
  if (!/^-?[0-9]{1,19}$/.test(params.key_id)) throw invalidField("path", "key_id", "must be an integer");
  const keyId = Number(params.key_id);
  if (keyId < 1 || keyId > MAX_ID)
    throw new AppError("not_found", { detail: "There is no key with this id." });

  const { action, revokedAt } = await revokeKey(db(), keyId, adminSecretActor(request));

  return respond(KeyRevoked, { ok: true, key_id: keyId, active: false, action, revoked_at: revokedAt });
});
