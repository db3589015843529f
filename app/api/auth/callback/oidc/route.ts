import { finishAdminOidc } from "@/lib/auth/admin-oidc";
import { seeOther } from "@/lib/auth/browser-answer";
import { documentRoute } from "@/lib/auth/document-route";
import { anyone } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** GET: the way back from the identity provider. */
export const GET = documentRoute({
  name: "admin.confirm_by_oidc",
  guard: anyone,
  make: async ({ request }) => {
    const step = await finishAdminOidc(request);
    return step === null ? seeOther(adminPaths.signIn()) : seeOther(step.to, step.cookies);
  },
});
