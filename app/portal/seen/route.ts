import { z } from "zod";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberOnly } from "@/lib/auth/guards";
import { paths } from "@/lib/paths";
import { markSeen } from "@/lib/subscribers/since-looked";

/** POST /portal/seen: marks as seen what the overview told up to an instant. */
export const POST = formRoute({
  name: "portal.seen",
  guard: subscriberOnly,
  fields: z.object({ until: z.iso.datetime().transform((text) => new Date(text)) }),
  page: () => paths.portal(),
  act: async ({ subscriber, values: { until } }) => {
    await markSeen(db(), subscriber.subscriptionId, until, new Date());

    return { to: paths.portal() };
  },
});
