import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { endPortalView } from "@/lib/auth/portal-view";
import { adminPaths } from "@/lib/paths";

/** POST: ends the look at a subscriber's portal. */
export const POST = formRoute({
  name: "portal.view_end",
  guard: adminOnly,
  fields: NoFields,
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ params, sessionId, actor }) => {
    const cookie = await endPortalView({ sessionId, actor });
    return {
      to: adminPaths.subscriber(parseId(params.id)),
      cookies: [cookie],
      flash: { kind: "done", text: "The view is closed. The subscriber finds it in the portal's settings." },
    };
  },
});
