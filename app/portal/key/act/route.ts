import { z } from "zod";
import { db } from "@/db/client";
import { wrongSubscriptionResponse } from "@/lib/auth/browser-answer";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { rotateKeyInPortal } from "@/lib/auth/rotate-key-in-portal";
import { paths } from "@/lib/paths";
import { AppError } from "@/lib/wire/errors";

/** POST: the form of the page “Key”, which rotates the key. */
export const POST = dispatchByIntent({
  /** Replaces the key and shows the new one once on the next page. */
  rotate: formRoute({
    name: "portal.rotate_key",
    guard: subscriberOnly,
    fields: z.object({ typed_word: z.string().default(""), key_id: z.string().optional() }),
    page: () => paths.portalKey(),
    act: async ({ subscriber, actor, values }) => {
      if (subscriber.isOwnerEnv) throw new AppError("owner_key_in_environment");
      if (!subscriber.isFresh) return { to: paths.login(paths.portalKey(), { notice: "again" }) };
      // Another request replaced the key that the page showed.
      if (values.key_id !== undefined && values.key_id !== String(subscriber.keyId))
        throw wrongSubscriptionResponse();
      if (values.typed_word.trim() !== "ROTATE") return {};

      await rotateKeyInPortal(db(), subscriber, actor);

      return { to: paths.portalNewKey() };
    },
  }),
});
