import { z } from "zod";
import { db } from "@/db/client";
import { CalendarField, CONFIRMATION_FIELDS, LinesField, RequiredText } from "@/lib/admin/form-fields";
import { changeCalendar } from "@/lib/admin/settings/change-calendar";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { settingChangeFlash } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";

const common = { guard: adminOnly, page: () => adminPaths.calendars() };

/** POST: stores and removes operators' calendars, after a preview of the slots affected. */
export const POST = dispatchByIntent({
  "save-own": formRoute({
    ...common,
    name: "calendar.save",
    fields: z.object({
      name: CalendarField,
      title: RequiredText(60),
      time_zone: z.string().trim().max(64),
      hours: LinesField(50),
      holidays: LinesField(100),
      ...CONFIRMATION_FIELDS,
    }),
    act: async ({ values, sent, actor }) => {
      const { name, title, time_zone: timeZone, hours, holidays } = values;
      const after = { name, title, timeZone, hours, holidays };
      const changed = await changeCalendar(db(), name, after, values, actor);
      const to = adminPaths.calendars({ calendar: name });
      return { to, flash: settingChangeFlash(changed, "calendar.save", sent) };
    },
  }),

  "remove-own": formRoute({
    ...common,
    name: "calendar.remove",
    fields: z.object({ name: CalendarField, ...CONFIRMATION_FIELDS }),
    act: async ({ values, sent, actor }) => {
      const changed = await changeCalendar(db(), values.name, null, values, actor);
      const isGone = changed.outcome === "stored";
      return {
        to: adminPaths.calendars(isGone ? {} : { calendar: values.name }),
        flash: settingChangeFlash(changed, "calendar.remove", sent),
      };
    },
  }),
});
