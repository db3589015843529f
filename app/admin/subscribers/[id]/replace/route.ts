import { z } from "zod";
import { db } from "@/db/client";
import { findSubscriber } from "@/db/queries/admin-subscribers";
import { Id, parseId } from "@/lib/admin/form-fields";
import { adminPaths } from "@/lib/admin/paths";
import { adminForm } from "@/lib/auth/admin-form";
import { AppError } from "@/lib/errors";
import { rotateKey } from "@/lib/keys/rotate-key";

const Fields = z.object({ key_id: Id });

/** POST: replaces a working key by a new one, mails it to the address on file and shows it once. */
export const POST = adminForm<typeof Fields, { id: string }>({
  name: "key.replace",
  schema: Fields,
  back: ({ id }) => adminPaths.subscriber(Number(id)),
  act: async ({ values, actor, params }) => {
    const subscriptionId = parseId(params.id) ?? 0;
    const found = await findSubscriber(db(), subscriptionId);
    if (!found?.keys.some((key) => key.keyId === values.key_id))
      throw new AppError("not_found", { detail: "This subscriber has no such key." });
    const rotated = await rotateKey(db(), { keyId: values.key_id, subscriptionId }, actor);
    return {
      to: adminPaths.subscriberKey(subscriptionId),
      flash: { kind: "key", keyId: rotated.keyId, apiKey: rotated.apiKey },
    };
  },
});
