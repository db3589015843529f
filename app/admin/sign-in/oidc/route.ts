import { startAdminOidc } from "@/lib/auth/admin-oidc";
import { redirectWithGet } from "@/lib/auth/browser-answer";
import { documentRoute } from "@/lib/auth/document-route";
import { allowAnyone } from "@/lib/auth/guards";

/**
 * GET: redirects to the identity provider. Not a POST, because the form-action policy blocks redirects of forms to other
 * sites.
 */
export const GET = documentRoute({
  name: "admin.sign_in_by_oidc",
  guard: allowAnyone,
  make: async ({ request }) => {
    const { to, cookies } = await startAdminOidc(request);
    return redirectWithGet(to, cookies);
  },
});
