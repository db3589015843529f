import { formRoute, readForm, seeOther } from "@/lib/auth/form-route";
import { safeNext } from "@/lib/auth/safe-next";
import { signIn } from "@/lib/auth/sign-in";
import { paths } from "@/lib/paths";

/** POST /login/by-link: uses the mailed link up. Opening it, as mail scanners do, does not. */
export const POST = formRoute(async (request) => {
  const { token = "", next } = await readForm(request);

  const signedIn = await signIn(request, { provider: "link", token });

  if (!signedIn.ok) return seeOther(paths.login(safeNext(next, undefined), { error: signedIn.reason }));
  return seeOther(safeNext(next, paths.portal()), signedIn.cookies);
});
