import { formRoute, NoFields } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { signOut } from "@/lib/auth/sign-in";
import { paths } from "@/lib/paths";

/** POST /login/sign-out: ends this browser's session, here and in the database. */
export const POST = formRoute({
  name: "login.sign_out",
  guard: allowAnyone,
  fields: NoFields,
  page: () => paths.login(),
  act: async ({ request }) => ({
    to: paths.login(undefined, { notice: "signed_out" }),
    cookies: await signOut(request),
  }),
});
