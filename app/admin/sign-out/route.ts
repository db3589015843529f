import { adminPaths } from "@/lib/admin/paths";
import { signOutAdmin } from "@/lib/auth/admin-session";
import { formRoute, seeOther } from "@/lib/auth/form-route";

/** POST: ends the administrator's session. */
export const POST = formRoute(async (request, requestId) =>
  seeOther(adminPaths.signIn(), [await signOutAdmin(request, requestId)]),
);
