import { z } from "zod";
import { db } from "@/db/client";
import { changeRole } from "@/lib/access/people/administrators";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { ADMIN_ROLES } from "@/lib/vocabulary";

/** POST: changes an administrator's role, from the next request on. */
export const POST = formRoute({
  name: "people.change_role",
  guard: adminOnly,
  fields: z.object({ role: z.enum(ADMIN_ROLES, "must be a role") }),
  page: (_: { id: string }) => adminPaths.people(),
  act: async ({ values, actor, params }) => {
    const done = await changeRole(db(), parseId(params.id), values.role, actor);
    const text =
      done === "changed"
        ? "Changed. The role applies from the next request on."
        : "The person already has this role.";
    return { to: adminPaths.people(), flash: { kind: "done", text } };
  },
});
