import { db } from "@/db/client";
import { revokeFeedToken } from "@/lib/access/feed-tokens";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: ends a token at once. */
export const POST = formRoute({
  name: "feed-token.revoke",
  guard: adminOnly,
  fields: NoFields,
  page: (_: { id: string }) => adminPaths.feeds(),
  act: async ({ actor, params }) => {
    await revokeFeedToken(db(), parseId(params.id), actor);
    return {
      to: adminPaths.feeds(),
      flash: { kind: "done", text: "Revoked. The token stops working at once." },
    };
  },
});
