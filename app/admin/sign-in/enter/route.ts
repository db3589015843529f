import { signInAsAdmin } from "@/lib/auth/admin-session";
import { formRoute, readForm, seeOther } from "@/lib/auth/form-route";
import { adminPaths } from "@/lib/paths";

/** POST: the sign-in form. The secret is compared and forgotten; the browser keeps a random token. */
export const POST = formRoute(async (request, requestId) => {
  const { secret = null, next } = await readForm(request);
  const to = ownPath(next);

  const outcome = await signInAsAdmin(request, secret, requestId);

  if ("cookie" in outcome) return seeOther(to, [outcome.cookie]);
  const reason = outcome.refused.verdict === "blocked" ? "wait" : "wrong";
  return seeOther(adminPaths.signIn({ next: to, reason }));
});

/** Where to go after signing in: inside the administrator's area, or its first page. */
function ownPath(next: string | undefined): string {
  return next && /^\/admin(?:[/?]|$)/.test(next) && !next.includes("\\") ? next : adminPaths.overview();
}
