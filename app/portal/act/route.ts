import { z } from "zod";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { isTimeZone } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { changePreferences } from "@/lib/subscribers/change-preferences";
import { markSeen } from "@/lib/subscribers/unread-summary";
import { CLOCK_KINDS } from "@/lib/vocabulary";

const common = { guard: subscriberOnly, page: () => paths.portal() };

/** POST: forms of the overview and of the portal's frame. */
export const POST = dispatchByIntent({
  /** Sets the clock on which times are shown. */
  clock: formRoute({
    ...common,
    name: "portal.clock",
    fields: z.object({
      clock: z.enum(CLOCK_KINDS),
      device_time_zone: z.string().default(""),
      back: z.string().optional(),
    }),
    act: async ({ subscriber, actor, values: { clock, device_time_zone: deviceZone, back } }) => {
      const known = subscriber.preferences.timeZone;
      // Without JavaScript the form sends no zone. If none is stored either, the settings page offers a choice.
      if (clock === "local" && !known && !isTimeZone(deviceZone)) return { to: paths.portalSettings() };

      const zone = known ?? (isTimeZone(deviceZone) ? deviceZone : undefined);
      await changePreferences(db(), subscriber, { clock, ...(zone ? { timeZone: zone } : {}) }, actor);

      return { to: safeReturnPath(back, paths.portal()) };
    },
  }),

  /** Marks events up to an instant as seen. */
  seen: formRoute({
    ...common,
    name: "portal.seen",
    fields: z.object({ until: z.iso.datetime().transform((text) => new Date(text)) }),
    act: async ({ subscriber, values: { until } }) => {
      await markSeen(db(), subscriber.subscriptionId, until, new Date());
      return {};
    },
  }),
});
