import { z } from "zod";
import { db } from "@/db/client";
import { CalendarField, DayField, OptionalText, OptionalTime } from "@/lib/admin/form-fields";
import { changeDayOverride } from "@/lib/admin/settings/change-day-override";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { settingChangeFlash } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";
import { DAY_OVERRIDE_KINDS } from "@/lib/vocabulary";
import { invalidField } from "@/lib/wire/errors";

const NAME = "calendar-day.save";

/** POST: stores a change of a calendar day, after a preview of the slots affected. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    calendar: CalendarField,
    day: DayField,
    kind: z.enum(DAY_OVERRIDE_KINDS, "must be one of the three"),
    closes_at: OptionalTime,
    note: OptionalText(120),
    mark: z.string().optional(),
  }),
  page: () => adminPaths.calendars(),
  act: async ({ values, sent, actor }) => {
    const { calendar, day, kind, closes_at, note, mark } = values;
    if (kind === "early" && closes_at === null)
      throw invalidField("body", "closes_at", "must be the time of the close");
    const closesAt = kind === "early" ? closes_at : null;
    const change = { id: { calendar, day }, after: { calendar, day, kind, closesAt, note }, mark };
    const changed = await changeDayOverride(db(), change, actor);
    return { to: adminPaths.calendars({ calendar }), flash: settingChangeFlash(changed, NAME, sent) };
  },
});
