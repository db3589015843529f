import { signOutAdmin } from "@/lib/auth/admin-session";
import { formRoute, seeOther } from "@/lib/auth/form-route";
import { adminPaths } from "@/lib/paths";

/** POST: ends the administrator's session. */
export const POST = formRoute(async (request, requestId) =>
  seeOther(adminPaths.signIn(), [await signOutAdmin(request, requestId)]),
);
