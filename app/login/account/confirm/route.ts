import { z } from "zod";
import { db } from "@/db/client";
import { confirmAccountLink } from "@/lib/access/account/requests";
import { clientAddress } from "@/lib/api/client-address";
import { formRoute } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { paths } from "@/lib/paths";

/** POST /login/account/confirm: performs the action of a mailed link, which then no longer works. */
export const POST = formRoute({
  name: "login.account",
  guard: allowAnyone,
  fields: z.object({ token: z.string().max(200).default("") }),
  page: () => paths.login(),
  act: async ({ request, requestId, values: { token } }) => {
    const effect = await confirmAccountLink(db(), token, {
      address: clientAddress(request.headers),
      requestId,
    });

    return { to: effect === "worthless" ? paths.accountLink("") : paths.accountDone(effect) };
  },
});
