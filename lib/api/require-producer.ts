import { db } from "@/db/client";
import { authenticateProducerToken, type ProducerToken } from "@/lib/access/producer-tokens";
import type { Actor } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import { clientAddress } from "./client-address";
import { adminSecretActor } from "./request-actor";
import { requestFactsOf } from "./request-facts";
import { requireAdministrator } from "./require-admin";
import { requireTokenQuota } from "./require-token-quota";

/** The sender of ingested rows. `token` null: the administrator, who may send any slot. */
export interface Producer {
  actor: Actor;
  token: ProducerToken | null;
}

const NOTHING_SENT =
  "Send a producer token in the X-Producer-Token header, or the administrator secret in the X-Admin-Secret header.";

/**
 * The sender of an ingest request, by the administrator secret in `X-Admin-Secret` or a token in `X-Producer-Token`.
 * Throws 401 without either or for an unknown token, 403 for a wrong secret, and 429 for too many calls or wrong
 * tokens.
 */
export async function requireProducer(request: Request): Promise<Producer> {
  const sent = request.headers.get("x-producer-token")?.trim();
  if (!sent || request.headers.has("x-admin-secret")) {
    await requireAdministrator(request, NOTHING_SENT);
    return { actor: adminSecretActor(request), token: null };
  }
  const token = await authenticateProducerToken(db(), sent);
  await requireTokenQuota(request, "producer", token?.id ?? null);
  if (token === null) throw new AppError("producer_token_invalid");
  const from = { address: clientAddress(request.headers), requestId: requestFactsOf(request).requestId };
  return { actor: { kind: "producer-token", tokenId: token.id, ...from }, token };
}
