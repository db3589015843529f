import { startAdminOidc } from "@/lib/auth/admin-oidc";
import { seeOther } from "@/lib/auth/browser-answer";
import { documentRoute } from "@/lib/auth/document-route";
import { anyone } from "@/lib/auth/guards";

/** GET: the way to the identity provider. A link, because a browser follows no form to another site. */
export const GET = documentRoute({
  name: "admin.sign_in_by_oidc",
  guard: anyone,
  make: async ({ request }) => {
    const { to, cookies } = await startAdminOidc(request);
    return seeOther(to, cookies);
  },
});
