import { z } from "zod";
import { db } from "@/db/client";
import { clientNetwork } from "@/lib/access/limits/client-network";
import { requestAdminLink } from "@/lib/access/people/administrators";
import { clientAddress } from "@/lib/api/client-address";
import { formRoute } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { recordSignInLinkRequest } from "@/lib/auth/sign-in-limits";
import { adminPaths } from "@/lib/paths";
import { Email } from "@/lib/wire/email";

/** POST: mails a sign-in link to an administrator. The response is the same for unknown addresses. */
export const POST = formRoute({
  name: "admin.request_link",
  guard: allowAnyone,
  fields: z.object({ email: z.string().max(300) }),
  page: () => adminPaths.signIn(),
  act: async ({ request, values }) => {
    const email = Email.safeParse(values.email);
    const isAllowed = await recordSignInLinkRequest(`admin:${clientNetwork(clientAddress(request.headers))}`);
    if (!isAllowed) return { to: adminPaths.signIn({ reason: "wait" }) };
    if (email.success) await requestAdminLink(db(), email.data);
    return { to: adminPaths.signIn({ reason: "sent" }) };
  },
});
