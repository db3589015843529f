import { db } from "@/db/client";
import { changeSetupHidden } from "@/lib/admin/setup/hide-setup";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";

const common = { guard: adminOnly, fields: NoFields, page: () => adminPaths.setup() };

/** POST: hides the setup checklist from the overview, or shows it there again. */
export const POST = dispatchByIntent({
  hide: formRoute({
    ...common,
    name: "setup.hide",
    act: async ({ actor }) => {
      await changeSetupHidden(db(), true, actor);
      return "The checklist is hidden from the overview. It stays on this page.";
    },
  }),

  show: formRoute({
    ...common,
    name: "setup.show",
    act: async ({ actor }) => {
      await changeSetupHidden(db(), false, actor);
      return "The checklist is on the overview until every step is done.";
    },
  }),
});
