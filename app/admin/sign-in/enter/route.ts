import { adminPaths } from "@/lib/admin/paths";
import { readText } from "@/lib/api/body";
import { plain, seeOther } from "@/lib/auth/admin-form";
import { signInAsAdmin } from "@/lib/auth/admin-session";
import { isOwnForm } from "@/lib/auth/same-origin";
import { AppError } from "@/lib/errors";
import { log } from "@/lib/log";

/** POST: the sign-in form. The secret is compared and forgotten; the browser keeps a random token. */
export async function POST(request: Request): Promise<Response> {
  if (!isOwnForm(request)) {
    log("warn", "a form of another site was refused", { action: "sign-in" });
    return plain(403, "This form was not sent by a page of this site. Nobody was signed in.");
  }
  try {
    const form = new URLSearchParams(await readText(request, 4096));
    const next = ownPath(form.get("next"));
    const outcome = await signInAsAdmin(request, form.get("secret"));
    if ("cookie" in outcome) return seeOther(next, { "Set-Cookie": outcome.cookie });
    const reason = outcome.refused.verdict === "blocked" ? "wait" : "wrong";
    return seeOther(adminPaths.signIn({ next, reason }));
  } catch (error) {
    if (error instanceof AppError) return plain(error.status, error.detail);
    log("warn", "a sign-in of the administrator failed", { reason: "unavailable" });
    return plain(503, "The database does not answer just now. Try again shortly.");
  }
}

/** Where to go after signing in: inside the administrator's area, or its first page. */
function ownPath(next: string | null): string {
  return next && /^\/admin(?:[/?]|$)/.test(next) && !next.includes("\\") ? next : adminPaths.overview();
}
