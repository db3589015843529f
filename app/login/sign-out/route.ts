import { formRoute, seeOther } from "@/lib/auth/form-route";
import { signOut } from "@/lib/auth/sign-in";
import { paths } from "@/lib/paths";

/** POST /login/sign-out: ends this browser's session, here and in the database. */
export const POST = formRoute(async (request) =>
  seeOther(paths.login(undefined, { notice: "signed_out" }), await signOut(request)),
);
