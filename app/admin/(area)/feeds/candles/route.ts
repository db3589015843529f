import { z } from "zod";
import { db } from "@/db/client";
import { setFeedCandles } from "@/lib/admin/set-feed-candles";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: says whether the licence of a feed lets anyone see its candles. */
export const POST = formRoute({
  name: "feed.candles",
  guard: adminOnly,
  fields: z.object({ feed: z.string().min(1).max(500), shown: z.enum(["yes", "no"]) }),
  page: () => adminPaths.feeds(),
  act: async ({ values, actor }) => {
    await setFeedCandles(db(), { feed: values.feed, shown: values.shown === "yes" }, actor);
    const text =
      values.shown === "yes"
        ? "Saved. Anyone can recompute outcomes that rest on this feed."
        : "Saved. Outcomes that rest on this feed cannot be recomputed by others.";
    return { to: adminPaths.feeds(), flash: { kind: "done", text } };
  },
});
