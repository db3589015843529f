import { db } from "@/db/client";
import { callingNetwork } from "@/lib/api/client-address";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { anyone } from "@/lib/auth/guards";
import { openDemo } from "@/lib/auth/open-demo";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { AppError } from "@/lib/wire/errors";

/** POST /login/try: a demo key for a visitor of the simulated market, shown once on the next page. */
export const POST = formRoute({
  name: "login.try",
  guard: anyone,
  fields: NoFields,
  page: () => paths.home(),
  act: async ({ request }) => {
    if (env().marketFeed !== "demo") throw new AppError("not_found");

    const opened = await openDemo(db("writes"), request, callingNetwork(request.headers));

    return opened.ok
      ? { to: paths.portalNewKey(), cookies: opened.cookies }
      : { to: paths.login(undefined, { error: opened.reason }) };
  },
});
