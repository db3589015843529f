import { z } from "zod";
import { db } from "@/db/client";
import { callingNetwork } from "@/lib/api/client-address";
import { formRoute } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { requestSignInLink } from "@/lib/auth/request-sign-in-link";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { recordSignInLinkRequest } from "@/lib/auth/sign-in-limits";
import { paths } from "@/lib/paths";
import { Email } from "@/lib/wire/email";

/** POST /login/request-link: queues a sign-in link. The response and its time are the same for every address. */
export const POST = formRoute({
  name: "login.request_link",
  guard: allowAnyone,
  fields: z.object({ email: z.string().default(""), next: z.string().optional() }),
  page: () => paths.login(),
  act: async ({ request, values }) => {
    const next = safeReturnPath(values.next, undefined);
    const parsed = Email.safeParse(values.email);
    if (!parsed.success) return { to: paths.login(next, { error: "email_malformed" }) };
    const network = callingNetwork(request.headers);
    if (!(await recordSignInLinkRequest(network)))
      return { to: paths.login(next, { error: "too_many_links" }) };

    await requestSignInLink(db(), { email: parsed.data, network, next });

    return { to: paths.linkSent(next) };
  },
});
