import { db } from "@/db/client";
import { respond } from "@/lib/api/answer";
import { KeyRevoked } from "@/lib/api/contracts/admin";
import { adminActor } from "@/lib/api/request-actor";
import { requireAdmin } from "@/lib/api/require-admin";
import { route } from "@/lib/api/route";
import { AppError, invalidField } from "@/lib/errors";
import { revokeKey } from "@/lib/keys/revoke-key";

const MAX_ID = 2_147_483_647;

/** DELETE /admin/keys/{key_id}: switches a key off for good. */
export const DELETE = route<{ key_id: string }>(async (request, params) => {
  requireAdmin(request);
  if (!/^-?[0-9]{1,19}$/.test(params.key_id)) throw invalidField("path", "key_id", "must be an integer");
  const keyId = Number(params.key_id);
  if (keyId < 1 || keyId > MAX_ID)
    throw new AppError("not_found", { detail: "There is no key with this id." });

  const { action, revokedAt } = await revokeKey(db(), keyId, adminActor(request));

  return respond(KeyRevoked, { ok: true, key_id: keyId, active: false, action, revoked_at: revokedAt });
});
