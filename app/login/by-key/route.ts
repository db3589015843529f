import { formRoute, readForm, seeOther } from "@/lib/auth/form-route";
import { safeNext } from "@/lib/auth/safe-next";
import { signIn } from "@/lib/auth/sign-in";
import { paths } from "@/lib/paths";

/** POST /login/by-key: signs in with an API key. */
export const POST = formRoute(async (request) => {
  const { api_key: apiKey = "", next } = await readForm(request);

  const signedIn = await signIn(request, { provider: "key", apiKey });

  if (!signedIn.ok) return seeOther(paths.login(safeNext(next, undefined), { error: signedIn.reason }));
  return seeOther(safeNext(next, paths.portal()), signedIn.cookies);
});
