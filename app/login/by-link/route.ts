import { z } from "zod";
import { formRoute } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { signIn } from "@/lib/auth/sign-in";
import { paths } from "@/lib/paths";

/**
 * POST /login/by-link: signs in with a mailed link, which then no longer works. A GET does not sign in, because mail
 * scanners open links.
 */
export const POST = formRoute({
  name: "login.by_link",
  guard: allowAnyone,
  fields: z.object({ token: z.string().default(""), next: z.string().optional() }),
  page: () => paths.login(),
  act: async ({ request, values: { token, next } }) => {
    const signedIn = await signIn(request, { provider: "link", token });

    return signedIn.ok
      ? { to: safeReturnPath(next, paths.portal()), cookies: signedIn.cookies }
      : { to: paths.login(safeReturnPath(next, undefined), { error: signedIn.reason }) };
  },
});
