import { z } from "zod";
import { db } from "@/db/client";
import { recordTryOutRequest, requestTryOut } from "@/lib/access/try-outs";
import { callingNetwork } from "@/lib/api/client-address";
import { formRoute } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { requestSignInLink } from "@/lib/auth/request-sign-in-link";
import { paths } from "@/lib/paths";
import { tryOutOffer } from "@/lib/settings/try-out-offer";
import { Email } from "@/lib/wire/email";

/**
 * POST /login/try-out/request: mails a link to a try-out key, or a sign-in link if the address has a subscription. Answer
 * and response time are the same for every address, so that they do not reveal subscribers.
 */
export const POST = formRoute({
  name: "login.request_try_out",
  guard: allowAnyone,
  fields: z.object({ email: z.string().default("") }),
  page: () => paths.tryOut(),
  act: async ({ request, values }) => {
    if ((await tryOutOffer()) === null) return { to: paths.tryOut() };
    const parsed = Email.safeParse(values.email);
    if (!parsed.success) return { to: paths.tryOut({ said: "email_malformed" }) };
    const email = parsed.data;
    const network = callingNetwork(request.headers);
    if (!(await recordTryOutRequest(network))) return { to: paths.tryOut({ said: "too_many" }) };

    // Always run both: the sign-in link takes longer and has the same response time for every address.
    await Promise.all([
      requestTryOut(db(), email, new Date()),
      requestSignInLink(db(), { email, network, next: undefined }),
    ]);

    return { to: paths.tryOut({ said: "sent" }) };
  },
});
