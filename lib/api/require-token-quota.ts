import { takeQuota } from "@/lib/access/limits/shared/take-quota";
import { recordWrongKey } from "@/lib/access/limits/wrong-keys";
import { AppError } from "@/lib/wire/errors";
import { clientAddress } from "./client-address";

const CALLS_PER_MIN = 600;

/**
 * Counts a call against the limit of its token, or, if the token is unknown (`tokenId` null), against the limit of
 * wrong keys and tokens of the caller's network. Throws 429 over the limit.
 */
export async function requireTokenQuota(request: Request, kind: "feed" | "producer", tokenId: number | null) {
  const quota =
    tokenId === null
      ? await recordWrongKey(clientAddress(request.headers))
      : await takeQuota(`${kind}:${tokenId}`, CALLS_PER_MIN);
  if (!quota.allowed)
    throw new AppError("rate_limited", { headers: { "Retry-After": String(quota.resetSeconds) } });
}
