import { z } from "zod";
import { db } from "@/db/client";
import { chooseOwnSubscription } from "@/lib/auth/choose-own-subscription";
import { formRoute } from "@/lib/auth/form-route";
import { signedInOnly } from "@/lib/auth/guards";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { paths } from "@/lib/paths";

/** POST /login/pick: selects another subscription of the signed-in person. */
export const POST = formRoute({
  name: "login.pick",
  guard: signedInOnly,
  fields: z.object({ subscription: z.string().default(""), next: z.string().optional() }),
  page: () => paths.chooseSubscription(),
  act: async ({ person, values: { subscription, next } }) => {
    const chosen = await chooseOwnSubscription(db(), person, subscription);

    return {
      to: chosen
        ? safeReturnPath(next, paths.portal())
        : paths.chooseSubscription(safeReturnPath(next, undefined)),
    };
  },
});
