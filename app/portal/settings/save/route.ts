import { z } from "zod";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberOnly } from "@/lib/auth/guards";
import { isTimeZone } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { changePreferences } from "@/lib/subscribers/change-preferences";

const Fields = z.object({
  display_name: z.string().trim().max(80),
  time_zone: z.string().refine((zone) => zone === "" || isTimeZone(zone)),
  broker_clock: z.string().regex(/^(new_york|-?[0-9]{1,3})$/),
  mail_reminders: z.literal("true").optional(),
  mail_ea_offline: z.literal("true").optional(),
  mail_models: z.literal("true").optional(),
  mail_notices: z.literal("true").optional(),
});

/** POST /portal/settings/save: saves the preferences. A blank name or zone counts as none. */
export const POST = formRoute({
  name: "portal.settings",
  guard: subscriberOnly,
  fields: Fields,
  page: (_, wrong) => paths.portalSettings(wrong === undefined ? {} : { error: wrong }),
  act: async ({ subscriber, actor, values }) => {
    await changePreferences(db(), subscriber, changeOf(values), actor);

    return { to: paths.portalSettings({ saved: "true" }) };
  },
});

/** Every preference of the form, so that a blank one replaces what was set. */
function changeOf(form: z.output<typeof Fields>) {
  return {
    displayName: form.display_name.replace(/\p{C}/gu, "") || undefined,
    timeZone: form.time_zone || undefined,
    brokerOffsetMinutes: form.broker_clock === "new_york" ? undefined : Number(form.broker_clock),
    mailReminders: form.mail_reminders === "true",
    mailEaOffline: form.mail_ea_offline === "true",
    mailModels: form.mail_models === "true",
    mailNotices: form.mail_notices === "true",
  } satisfies Parameters<typeof changePreferences>[2];
}
