import { db } from "@/db/client";
import { authenticateFeedToken, type FeedToken } from "@/lib/access/feed-tokens";
import { AppError } from "@/lib/wire/errors";
import { countTokenCall } from "./count-token-call";

/** The token in `X-Feed-Token`. Throws 401 without a valid one, and 429 for too many calls or wrong tokens. */
export async function requireFeedToken(request: Request): Promise<FeedToken> {
  const sent = request.headers.get("x-feed-token")?.trim();
  if (!sent) throw new AppError("feed_token_missing");
  const token = await authenticateFeedToken(db(), sent);
  await countTokenCall(request, "feed", token?.id ?? null);
  if (token === null) throw new AppError("feed_token_invalid");
  return token;
}
