import { z } from "zod";
import { signInByAdminSecret } from "@/lib/auth/admin-session";
import { formRoute } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: signs in with the secret of the installation. The browser gets a random session token. */
export const POST = formRoute({
  name: "admin.sign_in",
  guard: allowAnyone,
  fields: z.object({ secret: z.string().optional(), next: z.string().optional() }),
  page: () => adminPaths.signIn(),
  act: async ({ request, requestId, values }) => {
    const to = ownPath(values.next);

    const outcome = await signInByAdminSecret(request, values.secret ?? null, requestId);

    if ("cookie" in outcome) return { to, cookies: [outcome.cookie] };
    const reason = outcome.refused.verdict === "blocked" ? "wait" : "wrong";
    return { to: adminPaths.signIn({ next: to, reason }) };
  },
});

/** The address to open after signing in: a path of the administrator's area, or its first page. */
function ownPath(next: string | undefined): string {
  return next && /^\/admin(?:[/?]|$)/.test(next) && !next.includes("\\") ? next : adminPaths.overview();
}
