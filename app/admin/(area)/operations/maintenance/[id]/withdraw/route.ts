import { z } from "zod";
import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { withdrawMaintenance } from "@/lib/admin/maintenances";
import { adminForm } from "@/lib/auth/admin-form";
import { adminPaths } from "@/lib/paths";

const Fields = z.object({});

/** POST: takes an announcement back. */
export const POST = adminForm<typeof Fields, { id: string }>({
  name: "maintenance.withdraw",
  schema: Fields,
  back: () => adminPaths.operations(),
  act: async ({ actor, params }) => {
    await withdrawMaintenance(db(), parseId(params.id), actor, new Date());
    return { to: adminPaths.operations(), flash: { kind: "done", text: "The announcement is withdrawn." } };
  },
});
