import { takeQuota } from "@/lib/access/limits/shared/take-quota";
import { recordWrongKey } from "@/lib/access/limits/wrong-keys";
import { AppError } from "@/lib/wire/errors";
import { clientAddress } from "./client-address";

const CALLS_PER_MIN = 600;

/**
 * Counts a call with a token of `kind`, or a wrong token (null) against its sender's network. Throws 429 over the
 * limit.
 */
export async function countTokenCall(request: Request, kind: "feed" | "producer", tokenId: number | null) {
  const quota =
    tokenId === null
      ? await recordWrongKey(clientAddress(request.headers))
      : await takeQuota(`${kind}:${tokenId}`, CALLS_PER_MIN);
  if (!quota.allowed)
    throw new AppError("rate_limited", { headers: { "Retry-After": String(quota.resetSeconds) } });
}
