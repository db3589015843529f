import { z } from "zod";
import { db } from "@/db/client";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { Id } from "@/lib/admin/form-fields";
import { requireKeyOf } from "@/lib/admin/require-key-of";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: switches one key off for good. */
export const POST = formRoute({
  name: "key.revoke",
  guard: adminOnly,
  fields: z.object({ key_id: Id }),
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ values, actor, params }) => {
    const { keyId } = await requireKeyOf(db(), params, values.key_id);
    const { action } = await revokeKey(db(), keyId, actor);
    return {
      to: adminPaths.subscriber(Number(params.id)),
      flash: {
        kind: "done",
        text:
          action === "revoked"
            ? "The key is revoked. The next request with it is refused."
            : "The key had ended already.",
      },
    };
  },
});
