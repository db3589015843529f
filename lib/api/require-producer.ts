import { db } from "@/db/client";
import { takeQuota } from "@/lib/access/limits/shared/take-quota";
import { countWrongKey } from "@/lib/access/limits/wrong-keys";
import { findProducerToken, type ProducerToken } from "@/lib/access/producer-tokens";
import type { Actor } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import { clientAddress } from "./client-address";
import { factsOf } from "./facts";
import { adminActor } from "./request-actor";
import { requireAdministrator } from "./require-admin";

const CALLS_PER_MIN = 600;

/** Who sends to the ingest. Without a token it is the administrator, who may send any slot. */
export interface Producer {
  actor: Actor;
  token: ProducerToken | null;
}

/**
 * The sender of an ingest: the administrator secret in `X-Admin-Secret`, or a token in `X-Producer-Token`. Throws 401
 * without either or with an unknown token, 403 for a wrong secret, 429 for too many calls or wrong tokens.
 */
export async function requireProducer(request: Request): Promise<Producer> {
  const sent = request.headers.get("x-producer-token")?.trim();
  if (!sent || request.headers.has("x-admin-secret")) {
    await requireAdministrator(request);
    return { actor: adminActor(request), token: null };
  }
  const address = clientAddress(request.headers);
  const token = await findProducerToken(db(), sent);
  const quota =
    token === null ? await countWrongKey(address) : await takeQuota(`producer:${token.id}`, CALLS_PER_MIN);
  if (!quota.allowed)
    throw new AppError("rate_limited", { headers: { "Retry-After": String(quota.resetSeconds) } });
  if (token === null) throw new AppError("producer_token_invalid");
  const { requestId } = factsOf(request);
  return { actor: { kind: "producer-token", tokenId: token.id, address, requestId }, token };
}
