import { db } from "@/db/client";
import { callingNetwork } from "@/lib/api/client-address";
import { DEMO_KEY_HOURS } from "@/lib/auth/demo-access";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { anyone } from "@/lib/auth/guards";
import { openDemo } from "@/lib/auth/open-demo";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { addHours } from "@/lib/time";

/** POST /login/try: a demo key for a visitor of the simulated market, and the portal as its subscriber sees it. */
export const POST = formRoute({
  name: "login.try",
  guard: anyone,
  fields: NoFields,
  page: () => paths.home(),
  act: async ({ request }) => {
    // With real prices a key is bought.
    if (env().marketFeed !== "demo") return { to: paths.plans() };

    const now = new Date();
    const opened = await openDemo(db(), request, {
      network: callingNetwork(request.headers),
      now,
      expiresAt: addHours(now, DEMO_KEY_HOURS),
    });

    return opened.ok
      ? { to: paths.portal(), cookies: opened.cookies }
      : { to: paths.login(undefined, { error: opened.reason }) };
  },
});
