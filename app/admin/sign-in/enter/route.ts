import { z } from "zod";
import { signInAsAdmin } from "@/lib/auth/admin-session";
import { formRoute } from "@/lib/auth/form-route";
import { anyone } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: the sign-in form. The secret is compared and forgotten; the browser keeps a random token. */
export const POST = formRoute({
  name: "admin.sign_in",
  guard: anyone,
  fields: z.object({ secret: z.string().optional(), next: z.string().optional() }),
  page: () => adminPaths.signIn(),
  act: async ({ request, requestId, values }) => {
    const to = ownPath(values.next);

    const outcome = await signInAsAdmin(request, values.secret ?? null, requestId);

    if ("cookie" in outcome) return { to, cookies: [outcome.cookie] };
    const reason = outcome.refused.verdict === "blocked" ? "wait" : "wrong";
    return { to: adminPaths.signIn({ next: to, reason }) };
  },
});

/** Where to go after signing in: inside the administrator's area, or its first page. */
function ownPath(next: string | undefined): string {
  return next && /^\/admin(?:[/?]|$)/.test(next) && !next.includes("\\") ? next : adminPaths.overview();
}
