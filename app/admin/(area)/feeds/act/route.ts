import { z } from "zod";
import { db } from "@/db/client";
import { issueFeedToken, revokeFeedToken } from "@/lib/access/feed-tokens";
import { Id } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { intents } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";

const common = { guard: adminOnly, page: () => adminPaths.feeds() };

/** POST: the tokens that terminals send candles with. */
export const POST = intents({
  /** Makes a token, which the next page shows once. */
  "create-token": formRoute({
    ...common,
    name: "feed-token.create",
    fields: z.object({
      name: z
        .string()
        .trim()
        .regex(
          /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/,
          "must have 1 to 40 letters, digits, blanks, dots or dashes",
        ),
    }),
    act: async ({ values: { name }, actor }) => ({
      flash: { kind: "feed-token", name, token: await issueFeedToken(db(), name, actor) },
    }),
  }),

  "revoke-token": formRoute({
    ...common,
    name: "feed-token.revoke",
    fields: z.object({ id: Id }),
    act: async ({ values, actor }) => {
      await revokeFeedToken(db(), values.id, actor);
      return "Revoked. The token stops working at once.";
    },
  }),
});
