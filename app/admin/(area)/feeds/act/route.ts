import { z } from "zod";
import { db } from "@/db/client";
import { issueFeedToken, revokeFeedToken } from "@/lib/access/feed-tokens";
import { IdField, TokenName } from "@/lib/admin/form-fields";
import { setFeedCandleVisibility } from "@/lib/admin/set-feed-candle-visibility";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";

const common = { guard: adminOnly, page: () => adminPaths.feeds() };

/** POST: creates and revokes tokens of terminals, and publishes or unpublishes the candles of a feed. */
export const POST = dispatchByIntent({
  /** Creates a token, which the next page shows once. */
  "create-token": formRoute({
    ...common,
    name: "feed-token.create",
    fields: z.object({
      name: TokenName,
    }),
    act: async ({ values: { name }, actor }) => ({
      to: `${adminPaths.feeds()}#tokens`,
      flash: { kind: "feed-token", name, token: await issueFeedToken(db(), name, actor) },
    }),
  }),

  "revoke-token": formRoute({
    ...common,
    name: "feed-token.revoke",
    fields: z.object({ id: IdField }),
    act: async ({ values, actor }) => {
      await revokeFeedToken(db(), values.id, actor);
      return "Revoked. The token stops working at once.";
    },
  }),

  /** Stores whether the licence of a feed allows publishing its candles. */
  candles: formRoute({
    ...common,
    name: "feed.candles",
    fields: z.object({ feed: z.string().min(1).max(500), shown: z.enum(["yes", "no"]) }),
    act: async ({ values, actor }) => {
      await setFeedCandleVisibility(db(), { feed: values.feed, shown: values.shown === "yes" }, actor);
      return values.shown === "yes"
        ? "Saved. Anyone can recompute outcomes from this feed's candles."
        : "Saved. Others cannot recompute outcomes from this feed's candles.";
    },
  }),
});
