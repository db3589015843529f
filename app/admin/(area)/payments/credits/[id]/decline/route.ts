import { db } from "@/db/client";
import { declineDowntimeCredit } from "@/lib/access/keys/grant-credits";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: declines a proposed credit. */
export const POST = formRoute({
  name: "credit.decline",
  guard: adminOnly,
  fields: NoFields,
  page: (_: { id: string }) => adminPaths.credits(),
  act: async ({ actor, params }) => {
    await declineDowntimeCredit(db(), parseId(params.id), actor);
    return { to: adminPaths.credits(), flash: { kind: "done", text: "The credit is declined." } };
  },
});
