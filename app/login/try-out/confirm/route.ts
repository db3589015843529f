import { z } from "zod";
import { db } from "@/db/client";
import { confirmTryOut } from "@/lib/access/try-outs";
import { clientAddress } from "@/lib/api/client-address";
import { formRoute } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { paths } from "@/lib/paths";
import { tryOutOffer } from "@/lib/settings/try-out-offer";

/** POST /login/try-out/confirm: mails a try-out key to the address of the link. Opening the link alone does nothing. */
export const POST = formRoute({
  name: "login.confirm_try_out",
  guard: allowAnyone,
  fields: z.object({ token: z.string().max(1_000).default("") }),
  page: () => paths.tryOut(),
  act: async ({ request, requestId, values: { token } }) => {
    const offer = await tryOutOffer();
    if (offer === null) return { to: paths.tryOut() };
    const from = { address: clientAddress(request.headers), requestId };
    return { to: paths.tryOut({ said: await confirmTryOut(db(), token, offer, from, new Date()) }) };
  },
});
