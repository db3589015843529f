import { db } from "@/db/client";
import { renewRecoveryCodes } from "@/lib/access/people/administrators";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: replaces the recovery codes of the signed-in person, and shows the new ones once. */
export const POST = formRoute({
  name: "people.new_codes",
  guard: adminOnly,
  fields: NoFields,
  page: () => adminPaths.people(),
  act: async ({ actor }) => {
    const codes = await renewRecoveryCodes(db(), actor);
    return { to: adminPaths.recoveryCodes(), flash: { kind: "recovery-codes", codes } };
  },
});
