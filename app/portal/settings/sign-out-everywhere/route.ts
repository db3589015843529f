import { db } from "@/db/client";
import { endEverySession } from "@/lib/auth/end-every-session";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberOnly } from "@/lib/auth/guards";
import { signOut } from "@/lib/auth/sign-in";
import { paths } from "@/lib/paths";

/** POST /portal/settings/sign-out-everywhere: ends every session of the person and of the subscription. */
export const POST = formRoute({
  name: "portal.sign_out_everywhere",
  guard: subscriberOnly,
  fields: NoFields,
  page: () => paths.portalSettings(),
  act: async ({ request, subscriber, actor }) => {
    await endEverySession(db(), subscriber, actor);

    return {
      to: paths.login(undefined, { notice: "signed_out_everywhere" }),
      cookies: await signOut(request),
    };
  },
});
