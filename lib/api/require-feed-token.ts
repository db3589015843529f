import { db } from "@/db/client";
import { authenticateFeedToken, type FeedToken } from "@/lib/access/feed-tokens";
import { AppError } from "@/lib/wire/errors";
import { requireTokenQuota } from "./require-token-quota";

/**
 * The feed token in `X-Feed-Token`. Throws 401 if it is missing or unknown, and 429 for too many calls or wrong tokens.
 */
export async function requireFeedToken(request: Request): Promise<FeedToken> {
  const sent = request.headers.get("x-feed-token")?.trim();
  if (!sent) throw new AppError("feed_token_missing");
  const token = await authenticateFeedToken(db(), sent);
  await requireTokenQuota(request, "feed", token?.id ?? null);
  if (token === null) throw new AppError("feed_token_invalid");
  return token;
}
