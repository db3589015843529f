import { z } from "zod";
import { db } from "@/db/client";
import { issueFeedToken } from "@/lib/access/feed-tokens";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: makes a token for a terminal, which the next page shows once. */
export const POST = formRoute({
  name: "feed-token.create",
  guard: adminOnly,
  fields: z.object({
    name: z
      .string()
      .trim()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/,
        "must have 1 to 40 letters, digits, blanks, dots or dashes",
      ),
  }),
  page: () => adminPaths.feeds(),
  act: async ({ values, actor }) => {
    const token = await issueFeedToken(db(), values.name, actor);
    return { to: adminPaths.feeds(), flash: { kind: "feed-token", name: values.name, token } };
  },
});
