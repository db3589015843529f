import { z } from "zod";
import { db } from "@/db/client";
import { issueProducerToken, revokeProducerToken } from "@/lib/access/producer-tokens";
import { Id, SlotList, TokenName } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { intents } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";

const common = { guard: adminOnly, page: () => adminPaths.models() };

/** POST: the tokens that model servers send signals with. */
export const POST = intents({
  /** Makes a token, which the next page shows once. */
  "create-token": formRoute({
    ...common,
    name: "producer-token.create",
    fields: z.object({
      name: TokenName,
      slots: SlotList,
    }),
    act: async ({ values: { name, slots }, actor }) => ({
      flash: {
        kind: "producer-token",
        name,
        token: await issueProducerToken(db(), { name, slots }, actor),
      },
    }),
  }),

  "revoke-token": formRoute({
    ...common,
    name: "producer-token.revoke",
    fields: z.object({ id: Id }),
    act: async ({ values, actor }) => {
      await revokeProducerToken(db(), values.id, actor);
      return "Token revoked. It stops working at once.";
    },
  }),
});
