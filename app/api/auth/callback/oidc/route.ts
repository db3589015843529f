import { finishAdminOidc } from "@/lib/auth/admin-oidc";
import { redirectWithGet } from "@/lib/auth/browser-answer";
import { documentRoute } from "@/lib/auth/document-route";
import { allowAnyone } from "@/lib/auth/guards";

/** GET /api/auth/callback/oidc: the identity provider's redirect back; continues an administrator's sign-in with the code. */
export const GET = documentRoute({
  name: "admin.confirm_by_oidc",
  guard: allowAnyone,
  make: async ({ request }) => {
    const { to, cookies } = await finishAdminOidc(request);
    return redirectWithGet(to, cookies);
  },
});
