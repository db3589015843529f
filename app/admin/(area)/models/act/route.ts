import { z } from "zod";
import { db } from "@/db/client";
import { issueProducerToken, revokeProducerToken } from "@/lib/access/producer-tokens";
import { Id } from "@/lib/admin/form-fields";
import { parseSlots } from "@/lib/admin/slots-field";
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
      name: z
        .string()
        .trim()
        .regex(
          /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/,
          "must have 1 to 40 letters, digits, blanks, dots or dashes",
        ),
      slots: z.string().max(4000, "must have at most 4000 characters"),
    }),
    act: async ({ values: { name, slots }, actor }) => ({
      flash: {
        kind: "producer-token",
        name,
        token: await issueProducerToken(db(), { name, slots: parseSlots(slots) }, actor),
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
