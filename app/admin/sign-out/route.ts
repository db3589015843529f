import { signOutAdmin } from "@/lib/auth/admin-session";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: ends the administrator's session. */
export const POST = formRoute({
  name: "admin.sign_out",
  guard: allowAnyone,
  fields: NoFields,
  page: () => adminPaths.overview(),
  act: async ({ request, requestId }) => ({
    to: adminPaths.signIn(),
    cookies: [await signOutAdmin(request, requestId)],
  }),
});
