import { finishAdminOidc } from "@/lib/auth/admin-oidc";
import { seeOther } from "@/lib/auth/browser-answer";
import { documentRoute } from "@/lib/auth/document-route";
import { anyone } from "@/lib/auth/guards";

/** GET: the callback of the identity provider. */
export const GET = documentRoute({
  name: "admin.confirm_by_oidc",
  guard: anyone,
  make: async ({ request }) => {
    const { to, cookies } = await finishAdminOidc(request);
    return seeOther(to, cookies);
  },
});
