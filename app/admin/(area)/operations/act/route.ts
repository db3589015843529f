import { z } from "zod";
import { db } from "@/db/client";
import { Id, RequiredText, UtcMinute } from "@/lib/admin/form-fields";
import { announceMaintenance, withdrawMaintenance } from "@/lib/admin/maintenances";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { intents } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";
import { invalidField } from "@/lib/wire/errors";

const common = { guard: adminOnly, page: () => adminPaths.operations() };

/** POST: maintenance announced on the status page. */
export const POST = intents({
  announce: formRoute({
    ...common,
    name: "maintenance.announce",
    fields: z.object({ starts_at: UtcMinute, ends_at: UtcMinute, message: RequiredText(500) }),
    act: async ({ values, actor }) => {
      const { starts_at: startsAt, ends_at: endsAt, message } = values;
      if (startsAt === null) throw invalidField("body", "starts_at", "must be a date and time");
      if (endsAt === null) throw invalidField("body", "ends_at", "must be a date and time");
      await announceMaintenance(db(), { startsAt, endsAt, message }, actor, new Date());
      return "Announced. It appears on the status page within a minute.";
    },
  }),

  withdraw: formRoute({
    ...common,
    name: "maintenance.withdraw",
    fields: z.object({ id: Id }),
    act: async ({ values, actor }) => {
      await withdrawMaintenance(db(), values.id, actor, new Date());
      return "The announcement is withdrawn.";
    },
  }),
});
