import { setTimeout as pause } from "node:timers/promises";
import { db } from "@/db/client";
import { callingNetwork } from "@/lib/api/client-address";
import { DEMO_KEY_HOURS, isDemoAccess } from "@/lib/auth/demo-access";
import { findSubscriber } from "@/lib/auth/find-subscriber";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { openDemo } from "@/lib/auth/open-demo";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { advanceDemoClient, DEMO_HISTORY_DAYS } from "@/lib/models/demo/demo-clients";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { addDays, addHours, SECOND_MS } from "@/lib/time";

const HISTORY_WAIT_MS = 1.5 * SECOND_MS;

/** POST /login/try: opens the portal of a demo key on the simulated market. The first time it creates the key. */
export const POST = formRoute({
  name: "login.try",
  guard: allowAnyone,
  fields: NoFields,
  page: () => paths.home(),
  act: async ({ request }) => {
    // Demo keys exist only on the simulated market; elsewhere the visitor is sent to the plans.
    if (env().marketFeed !== "demo") return { to: paths.plans() };

    // A second click must not replace the key and the positions of the first.
    const found = await findSubscriber(cookiesOf(request.headers));
    if (found.kind === "subscriber" && isDemoAccess(found.subscriber)) return { to: paths.portal() };

    const now = new Date();
    const opened = await openDemo(db(), request, {
      network: callingNetwork(request.headers),
      now,
      expiresAt: addHours(now, DEMO_KEY_HOURS),
      subscribedAt: addDays(now, -DEMO_HISTORY_DAYS),
    });
    if (!opened.ok) return { to: paths.login(undefined, { error: opened.reason }) };

    // Creates demo positions for the first page. Those that are not ready in time appear later while the page is open.
    const history = advanceDemoClient(db(), opened.client, now).catch((error: unknown) =>
      log("warn", "a simulated client could not begin", { error: errorFacts(error) }),
    );
    await Promise.race([history, pause(HISTORY_WAIT_MS)]);
    return { to: paths.portal(), cookies: opened.cookies };
  },
});
