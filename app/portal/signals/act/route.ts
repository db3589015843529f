import { z } from "zod";
import { db } from "@/db/client";
import { scopeIncludes } from "@/lib/access/plans";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberWithFlash } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { parseTimeframe } from "@/lib/market/timeframes";
import { paths } from "@/lib/paths";
import { pauseOwnTrading, resumeOwnTrading } from "@/lib/subscribers/own-pauses";
import { AppError, invalidField } from "@/lib/wire/errors";

const common = { guard: subscriberWithFlash, page: () => paths.portalSignals() };

/** POST: starts and ends the subscriber's own pauses, which stop trading clients from opening positions. */
export const POST = dispatchByIntent({
  pause: formRoute({
    ...common,
    name: "portal.pause",
    // The slot to pause, such as EURUSD/H1; empty: every slot.
    fields: z.object({ slot: z.string().max(40).default("") }),
    act: async ({ subscriber, actor, values: { slot } }) => {
      if (subscriber.isOwnerEnv) throw new AppError("owner_key_in_environment");
      const [symbol = "", tf = ""] = slot.split("/");
      const timeframe = parseTimeframe(tf);
      if (slot !== "" && (timeframe === null || !scopeIncludes(subscriber.scope, symbol, timeframe)))
        throw invalidField("body", "slot", "must be a slot of your plan");
      const target = slot === "" ? { symbol: null, timeframe: null } : { symbol, timeframe };
      await pauseOwnTrading(db(), subscriber.subscriptionId, target, actor);
      return "Paused. From its next poll, your EA opens no position there. It still closes and reports positions.";
    },
  }),

  resume: formRoute({
    ...common,
    name: "portal.resume",
    fields: z.object({ id: z.coerce.number().int().positive() }),
    act: async ({ subscriber, actor, values: { id } }) => {
      await resumeOwnTrading(db(), subscriber.subscriptionId, id, actor);
      return "The pause has ended. From its next poll, your EA follows fresh signals again.";
    },
  }),
});
