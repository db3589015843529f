import { z } from "zod";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { choosePaymentTests } from "@/lib/payments/payment-tests";

/** POST: whether test events of the platforms give access. */
export const POST = formRoute({
  name: "payment.choose_tests",
  guard: adminOnly,
  fields: z.object({ give_access: z.literal("true").optional() }),
  page: () => adminPaths.platforms(),
  act: async ({ actor, values }) => {
    const giveAccess = values.give_access === "true";
    await choosePaymentTests(db(), { giveAccess }, actor);
    const text = giveAccess
      ? "Test events give access from now on."
      : "Test events give nothing from now on.";
    return { to: adminPaths.platforms(), flash: { kind: "done", text } };
  },
});
