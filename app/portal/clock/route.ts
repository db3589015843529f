import { z } from "zod";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberOnly } from "@/lib/auth/guards";
import { safeNext } from "@/lib/auth/safe-next";
import { isTimeZone } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { changePreferences } from "@/lib/subscribers/change-preferences";
import { CLOCK_KINDS } from "@/lib/vocabulary";

/** POST /portal/clock: sets the clock on which times are shown. */
export const POST = formRoute({
  name: "portal.clock",
  guard: subscriberOnly,
  fields: z.object({
    clock: z.enum(CLOCK_KINDS),
    device_time_zone: z.string().default(""),
    back: z.string().optional(),
  }),
  page: () => paths.portal(),
  act: async ({ subscriber, actor, values: { clock, device_time_zone: deviceZone, back } }) => {
    const known = subscriber.preferences.timeZone;
    // Without a script the form sends no zone. If none is set either, the settings page lets the reader choose one.
    if (clock === "local" && !known && !isTimeZone(deviceZone)) return { to: paths.portalSettings() };

    const zone = known ?? (isTimeZone(deviceZone) ? deviceZone : undefined);
    await changePreferences(db(), subscriber, { clock, ...(zone ? { timeZone: zone } : {}) }, actor);

    return { to: safeNext(back, paths.portal()) };
  },
});
