import { z } from "zod";
import { db } from "@/db/client";
import { reinstateKey } from "@/lib/access/keys/suspend-key";
import { Id } from "@/lib/admin/form-fields";
import { requireKeyOf } from "@/lib/admin/require-key-of";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: lets a suspended key work again. */
export const POST = formRoute({
  name: "key.reinstate",
  guard: adminOnly,
  fields: z.object({ key_id: Id }),
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ values, actor, params }) => {
    const { keyId } = await requireKeyOf(db(), params, values.key_id);
    const { action } = await reinstateKey(db(), keyId, actor);
    return {
      to: adminPaths.subscriber(Number(params.id)),
      flash: {
        kind: "done",
        text:
          action === "reinstated"
            ? "The key is reinstated: it works again from the next request on. Its end is unchanged."
            : "The key was not suspended.",
      },
    };
  },
});
