import { z } from "zod";
import { db } from "@/db/client";
import { subscriberActor } from "@/lib/api/request-actor";
import { formRoute, readForm, requireSubscriberOf, seeOther } from "@/lib/auth/form-route";
import { isTimeZone } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { changePreferences } from "@/lib/subscribers/change-preferences";

const Form = z.object({
  display_name: z.string().trim().max(80),
  time_zone: z.string().refine((zone) => zone === "" || isTimeZone(zone)),
  broker_clock: z.string().regex(/^(new_york|-?[0-9]{1,3})$/),
  mail_reminders: z.literal("true").optional(),
  mail_ea_offline: z.literal("true").optional(),
});

/** POST /portal/settings/save: what the subscriber set. A blank name or zone is none. */
export const POST = formRoute(async (request, requestId) => {
  const subscriber = await requireSubscriberOf(request);
  const form = Form.safeParse(await readForm(request));
  if (!form.success) {
    const [first] = form.error.issues;
    return seeOther(paths.portalSettings({ error: String(first?.path[0] ?? "form") }));
  }
  await changePreferences(
    db(),
    subscriber,
    changeOf(form.data),
    subscriberActor(request, subscriber.subscriptionId, requestId),
  );

  return seeOther(paths.portalSettings({ saved: "true" }));
});

/** Every preference of the form, so that a blank one replaces what was set. */
function changeOf(form: z.output<typeof Form>) {
  return {
    displayName: form.display_name.replace(/\p{C}/gu, "") || undefined,
    timeZone: form.time_zone || undefined,
    brokerOffsetMinutes: form.broker_clock === "new_york" ? undefined : Number(form.broker_clock),
    mailReminders: form.mail_reminders === "true",
    mailEaOffline: form.mail_ea_offline === "true",
  } satisfies Parameters<typeof changePreferences>[2];
}
