import { adminPaths } from "@/lib/admin/paths";
import { plain, seeOther } from "@/lib/auth/admin-form";
import { adminToken, signOutAdmin } from "@/lib/auth/admin-session";
import { isOwnForm } from "@/lib/auth/same-origin";

/** POST: ends the administrator's session. */
export async function POST(request: Request): Promise<Response> {
  if (!isOwnForm(request)) return plain(403, "This form was not sent by a page of this site.");
  const cookie = await signOutAdmin(request, adminToken(request.headers));
  return seeOther(adminPaths.signIn(), { "Set-Cookie": cookie });
}
