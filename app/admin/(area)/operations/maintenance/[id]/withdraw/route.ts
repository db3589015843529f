import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { withdrawMaintenance } from "@/lib/admin/maintenances";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: takes an announcement back. */
export const POST = formRoute({
  name: "maintenance.withdraw",
  guard: adminOnly,
  fields: NoFields,
  page: (_: { id: string }) => adminPaths.operations(),
  act: async ({ actor, params }) => {
    await withdrawMaintenance(db(), parseId(params.id), actor, new Date());
    return { to: adminPaths.operations(), flash: { kind: "done", text: "The announcement is withdrawn." } };
  },
});
