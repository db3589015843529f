import { finishAdminOidc } from "@/lib/auth/admin-oidc";
import { redirectWithGet } from "@/lib/auth/browser-answer";
import { documentRoute } from "@/lib/auth/document-route";
import { allowAnyone } from "@/lib/auth/guards";

/** GET: the callback of the identity provider. */
export const GET = documentRoute({
  name: "admin.confirm_by_oidc",
  guard: allowAnyone,
  make: async ({ request }) => {
    const { to, cookies } = await finishAdminOidc(request);
    return redirectWithGet(to, cookies);
  },
});
