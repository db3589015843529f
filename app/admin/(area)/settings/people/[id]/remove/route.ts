import { db } from "@/db/client";
import { removeAdministrator } from "@/lib/access/people/administrators";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: removes an administrator and ends their sessions. */
export const POST = formRoute({
  name: "people.remove",
  guard: adminOnly,
  fields: NoFields,
  page: (_: { id: string }) => adminPaths.people(),
  act: async ({ actor, params }) => {
    await removeAdministrator(db(), parseId(params.id), actor);
    return { to: adminPaths.people(), flash: { kind: "done", text: "Removed. Every session has ended." } };
  },
});
