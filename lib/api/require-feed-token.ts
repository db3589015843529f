import { db } from "@/db/client";
import { type FeedToken, findFeedToken } from "@/lib/access/feed-tokens";
import { takeQuota } from "@/lib/access/limits/shared/take-quota";
import { countWrongKey } from "@/lib/access/limits/wrong-keys";
import { AppError } from "@/lib/wire/errors";
import { clientAddress } from "./client-address";

const CALLS_PER_MIN = 600;

/** The token in `X-Feed-Token`. Throws 401 without one that works, and 429 for too many calls or wrong tokens. */
export async function requireFeedToken(request: Request): Promise<FeedToken> {
  const sent = request.headers.get("x-feed-token")?.trim();
  if (!sent) throw new AppError("feed_token_missing");
  const token = await findFeedToken(db(), sent);
  const quota =
    token === null
      ? await countWrongKey(clientAddress(request.headers))
      : await takeQuota(`feed:${token.id}`, CALLS_PER_MIN);
  if (!quota.allowed)
    throw new AppError("rate_limited", { headers: { "Retry-After": String(quota.resetSeconds) } });
  if (token === null) throw new AppError("feed_token_invalid");
  return token;
}
