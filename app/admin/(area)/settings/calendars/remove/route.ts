import { z } from "zod";
import { db } from "@/db/client";
import { CalendarField, DayField } from "@/lib/admin/form-fields";
import { changeDayOverride } from "@/lib/admin/settings/change-day-override";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { settingChangeFlash } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";

const NAME = "calendar-day.remove";

/** POST: removes the operator's change of a day, after a preview of the slots affected. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    calendar: CalendarField,
    day: DayField,
    mark: z.string().optional(),
  }),
  page: () => adminPaths.calendars(),
  act: async ({ values: { calendar, day, mark }, sent, actor }) => {
    const changed = await changeDayOverride(db(), { id: { calendar, day }, after: null, mark }, actor);
    return { to: adminPaths.calendars({ calendar }), flash: settingChangeFlash(changed, NAME, sent) };
  },
});
