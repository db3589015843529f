import { db } from "@/db/client";
import { rotateKey } from "@/lib/access/keys/rotate-key";
import { respond } from "@/lib/api/answer";
import { subscriberActor } from "@/lib/api/request-actor";
import { requestFactsOf } from "@/lib/api/request-facts";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { KeyRotated } from "@/lib/wire/contracts/account";
import { AppError } from "@/lib/wire/errors";

const WARNING = "Put the new key into InpApiKey of your EA now: the previous key has stopped working.";

/** POST /api/account/regenerate-key: replaces the presented key, which stops working at once, by a new one. Reads no body. */
export const POST = route(async (request) => {
  const key = await requireApiKey(request, { tryOut: true });
  await requireQuota(request, key, "read");
  if (key.isOwnerEnv) throw new AppError("owner_key_in_environment");

  const rotated = await rotateKey(
    db(),
    key,
    subscriberActor(request, key.subscriptionId, requestFactsOf(request).requestId),
  );

  return respond(KeyRotated, {
    ok: true,
    key_id: rotated.keyId,
    api_key: rotated.apiKey,
    rotated_at: rotated.rotatedAt,
    warning: WARNING,
  });
});
