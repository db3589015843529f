import { db } from "@/db/client";
import { subscriberActor } from "@/lib/api/request-actor";
import { formRoute, readForm, requireSubscriberOf, seeOther } from "@/lib/auth/form-route";
import { safeNext } from "@/lib/auth/safe-next";
import { isTimeZone } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { changePreferences } from "@/lib/subscribers/change-preferences";
import { CLOCK_KINDS } from "@/lib/vocabulary";

/** POST /portal/clock: sets the clock on which times are shown (decision 88). */
export const POST = formRoute(async (request, requestId) => {
  const subscriber = await requireSubscriberOf(request);
  const { clock, device_time_zone: deviceZone = "", back } = await readForm(request);
  const kind = CLOCK_KINDS.find((candidate) => candidate === clock);
  if (!kind) return seeOther(paths.portal());
  const known = subscriber.preferences.timeZone;
  // Without a script the form sends no zone. If none is set either, the settings page lets the reader choose one.
  if (kind === "local" && !known && !isTimeZone(deviceZone)) return seeOther(paths.portalSettings());

  const zone = known ?? (isTimeZone(deviceZone) ? deviceZone : undefined);
  await changePreferences(
    db(),
    subscriber,
    { clock: kind, ...(zone ? { timeZone: zone } : {}) },
    subscriberActor(request, subscriber.subscriptionId, requestId),
  );

  return seeOther(safeNext(back, paths.portal()));
});
