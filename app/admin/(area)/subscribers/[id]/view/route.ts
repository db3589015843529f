import { parseId } from "@/lib/admin/form-fields";
import { clientAddress } from "@/lib/api/client-address";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { openPortalView } from "@/lib/auth/portal-view";
import { adminPaths, paths } from "@/lib/paths";

/** POST: shows the subscriber's portal, for reading, for half an hour. */
export const POST = formRoute({
  name: "portal.view",
  guard: adminOnly,
  fields: NoFields,
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ request, params, sessionId, administratorId, actor }) => {
    const looker = { sessionId, administratorId, actor, address: clientAddress(request.headers) };
    const cookie = await openPortalView(looker, parseId(params.id));
    return { to: paths.portal(), cookies: [cookie] };
  },
});
