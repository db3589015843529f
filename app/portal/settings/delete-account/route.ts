import { z } from "zod";
import { db } from "@/db/client";
import { deleteAccount } from "@/lib/access/account/delete-account";
import { REQUEST_MINUTES, requestDeletion } from "@/lib/access/account/requests";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { signOut } from "@/lib/auth/sign-in";
import { paths } from "@/lib/paths";
import { AppError } from "@/lib/wire/errors";

/** POST /portal/settings/delete-account: mails the link that deletes it; without an address it is deleted at once. */
export const POST = formRoute({
  name: "portal.delete_account",
  guard: subscriberToldOnce,
  fields: z.object({ typed_word: z.string().default("") }),
  page: () => paths.portalSettings(),
  act: async ({ request, subscriber, actor, values }) => {
    if (subscriber.isOwnerEnv) throw new AppError("owner_key_in_environment");
    if (values.typed_word.trim() !== "DELETE") return { to: paths.portalSettings() };
    if (await requestDeletion(db(), subscriber.subscriptionId, actor))
      return {
        to: paths.portalSettings(),
        flash: {
          kind: "done",
          text: `A mail is on its way, with a link that works for ${REQUEST_MINUTES} minutes. Nothing is deleted before you use it.`,
        },
      };
    if (!subscriber.isFresh) return { to: paths.login(paths.portalSettings(), { notice: "again" }) };

    await deleteAccount(db(), subscriber.subscriptionId, actor);

    return { to: paths.accountDone("deleted"), cookies: await signOut(request) };
  },
});
