import { z } from "zod";
import { db } from "@/db/client";
import { issueNextKey } from "@/lib/access/keys/issue-next-key";
import { parseId, UtcMinute } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

const Fields = z.object({ expires_at: UtcMinute });

/** POST: a new key for a subscriber whose keys have all ended; the next page shows it once. */
export const POST = formRoute({
  name: "key.issue",
  guard: adminOnly,
  fields: Fields,
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ values, actor, params }) => {
    const issued = await issueNextKey(db(), parseId(params.id), values.expires_at, actor, new Date());
    return {
      to: adminPaths.subscriberKey(issued.subscriptionId),
      flash: { kind: "key", keyId: issued.keyId, apiKey: issued.apiKey },
    };
  },
});
