import { z } from "zod";
import { db } from "@/db/client";
import { REQUEST_MINUTES, requestAddress } from "@/lib/access/account/requests";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { paths } from "@/lib/paths";
import { Email } from "@/lib/wire/email";
import { AppError } from "@/lib/wire/errors";

/** POST /portal/settings/address: asks both mailboxes whether the account is to have another address. */
export const POST = formRoute({
  name: "portal.address",
  guard: subscriberToldOnce,
  fields: z.object({ new_email: Email }),
  page: () => paths.portalSettings(),
  act: async ({ subscriber, actor, values }) => {
    if (subscriber.isOwnerEnv) throw new AppError("owner_key_in_environment");
    await requestAddress(
      db(),
      { subscriptionId: subscriber.subscriptionId, newEmail: values.new_email },
      actor,
    );

    return {
      to: paths.portalSettings(),
      flash: {
        kind: "done",
        text: `Both mailboxes have a link on the way, good for ${REQUEST_MINUTES} minutes. Nothing changes before both were used.`,
      },
    };
  },
});
