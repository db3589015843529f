import { db } from "@/db/client";
import { respond } from "@/lib/api/answer";
import { parseBody } from "@/lib/api/parse";
import { requireFeedToken } from "@/lib/api/require-feed-token";
import { route } from "@/lib/api/route";
import { storePushedBars } from "@/lib/signals/feeds/push-bars";
import { PushBarsAnswer, PushBarsBody } from "@/lib/wire/contracts/feed";

/** POST /api/feed/bars: stores closed bars of a MetaTrader chart and returns the newest that came with this token. */
export const POST = route(async (request) => {
  const token = await requireFeedToken(request);
  const sent = await parseBody(request, PushBarsBody);
  return respond(PushBarsAnswer, { ok: true, ...(await storePushedBars(db("heavy"), token, sent)) });
});
