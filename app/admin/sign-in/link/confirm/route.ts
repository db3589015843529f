import { z } from "zod";
import { signInByAdminLink } from "@/lib/auth/admin-session";
import { formRoute } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: signs an administrator in with the mailed link and a code. */
export const POST = formRoute({
  name: "admin.sign_in_by_link",
  guard: allowAnyone,
  fields: z.object({ token: z.string().max(100).optional(), code: z.string().max(100).optional() }),
  page: () => adminPaths.signIn({ reason: "link" }),
  act: async ({ request, requestId, values: { token = "", code = "" } }) => {
    const { outcome, cookie } = await signInByAdminLink(request, { token, code }, requestId);
    if (outcome.kind === "signed_in" && cookie !== null) {
      const to = outcome.recoveryCodes ? adminPaths.recoveryCodes() : adminPaths.overview();
      return { to, cookies: [cookie] };
    }
    if ((outcome.kind === "wrong_code" || outcome.kind === "locked") && outcome.triesLeft > 0) {
      const locked = outcome.kind === "locked" ? "yes" : undefined;
      return { to: adminPaths.signInLink(token, { tries: outcome.triesLeft, locked }) };
    }
    return { to: adminPaths.signIn({ reason: "link" }) };
  },
});
