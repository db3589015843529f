import { startAdminOidc } from "@/lib/auth/admin-oidc";
import { seeOther } from "@/lib/auth/browser-answer";
import { documentRoute } from "@/lib/auth/document-route";
import { anyone } from "@/lib/auth/guards";

/**
 * GET: redirects to the identity provider. Not a POST, because the form-action policy blocks redirects of forms to other
 * sites.
 */
export const GET = documentRoute({
  name: "admin.sign_in_by_oidc",
  guard: anyone,
  make: async ({ request }) => {
    const { to, cookies } = await startAdminOidc(request);
    return seeOther(to, cookies);
  },
});
