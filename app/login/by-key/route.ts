import { z } from "zod";
import { formRoute } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { signIn } from "@/lib/auth/sign-in";
import { paths } from "@/lib/paths";

/** POST /login/by-key: signs in with an API key. */
export const POST = formRoute({
  name: "login.by_key",
  guard: allowAnyone,
  fields: z.object({ api_key: z.string().default(""), next: z.string().optional() }),
  page: () => paths.login(),
  act: async ({ request, values: { api_key: apiKey, next } }) => {
    const signedIn = await signIn(request, { provider: "key", apiKey });

    return signedIn.ok
      ? { to: safeReturnPath(next, paths.portal()), cookies: signedIn.cookies }
      : { to: paths.login(safeReturnPath(next, undefined), { error: signedIn.reason }) };
  },
});
