import { z } from "zod";
import { db } from "@/db/client";
import { suspendKey } from "@/lib/access/keys/suspend-key";
import { Id } from "@/lib/admin/form-fields";
import { requireKeyOf } from "@/lib/admin/require-key-of";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: holds one key back until it is reinstated. */
export const POST = formRoute({
  name: "key.suspend",
  guard: adminOnly,
  fields: z.object({ key_id: Id }),
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ values, actor, params }) => {
    const { keyId } = await requireKeyOf(db(), params, values.key_id);
    const { action } = await suspendKey(db(), keyId, actor);
    return {
      to: adminPaths.subscriber(Number(params.id)),
      flash: {
        kind: "done",
        text:
          action === "suspended"
            ? "The key is suspended. The next request with it is refused; reinstate it with one button."
            : "The key was suspended already.",
      },
    };
  },
});
