import { z } from "zod";
import { db } from "@/db/client";
import { rotateKey } from "@/lib/access/keys/rotate-key";
import { Id } from "@/lib/admin/form-fields";
import { requireKeyOf } from "@/lib/admin/require-key-of";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

const Fields = z.object({ key_id: Id });

/** POST: replaces a working key by a new one, mails it to the address on file and shows it once. */
export const POST = formRoute({
  name: "key.replace",
  guard: adminOnly,
  fields: Fields,
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ values, actor, params }) => {
    const { keyId, subscriptionId } = await requireKeyOf(db(), params, values.key_id);
    const rotated = await rotateKey(db(), { keyId, subscriptionId }, actor);
    return {
      to: adminPaths.subscriberKey(subscriptionId),
      flash: { kind: "key", keyId: rotated.keyId, apiKey: rotated.apiKey },
    };
  },
});
