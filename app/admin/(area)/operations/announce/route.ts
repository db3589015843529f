import { z } from "zod";
import { db } from "@/db/client";
import { RequiredText, UtcMinute } from "@/lib/admin/form-fields";
import { announceMaintenance } from "@/lib/admin/maintenances";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { invalidField } from "@/lib/wire/errors";

/** POST: announces a maintenance on the status page. */
export const POST = formRoute({
  name: "maintenance.announce",
  guard: adminOnly,
  fields: z.object({
    starts_at: UtcMinute,
    ends_at: UtcMinute,
    message: RequiredText(500),
  }),
  page: () => adminPaths.operations(),
  act: async ({ values, actor }) => {
    const { starts_at: startsAt, ends_at: endsAt, message } = values;
    if (startsAt === null) throw invalidField("body", "starts_at", "must be a date and time");
    if (endsAt === null) throw invalidField("body", "ends_at", "must be a date and time");
    await announceMaintenance(db(), { startsAt, endsAt, message }, actor, new Date());
    return {
      to: adminPaths.operations(),
      flash: { kind: "done", text: "Announced. It appears on the status page within a minute." },
    };
  },
});
