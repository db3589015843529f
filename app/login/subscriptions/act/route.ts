import { z } from "zod";
import { db } from "@/db/client";
import { requestDeletion } from "@/lib/access/account/requests";
import { subscriberActor } from "@/lib/api/request-actor";
import { formRoute } from "@/lib/auth/form-route";
import { getOwnSubscriptionId } from "@/lib/auth/get-own-subscription";
import { signedInOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { paths } from "@/lib/paths";

/** POST: the form of a person whose access has ended. */
export const POST = dispatchByIntent({
  /** Mails the link that deletes the account. */
  "delete-account": formRoute({
    name: "login.delete_account",
    guard: signedInOnly,
    fields: z.object({ subscription: z.string().default(""), typed_word: z.string().default("") }),
    page: () => paths.chooseSubscription(),
    act: async ({ request, requestId, person, values }) => {
      if (values.typed_word.trim() !== "DELETE") return {};
      const subscriptionId = await getOwnSubscriptionId(person, values.subscription);

      await requestDeletion(db(), subscriptionId, subscriberActor(request, subscriptionId, requestId));

      return { to: paths.chooseSubscription(undefined, "mailed") };
    },
  }),
});
