import { z } from "zod";
import { db } from "@/db/client";
import { changeGrant } from "@/lib/access/keys/change-grant";
import { Confirmed, Id, PlanField, RateLimit, SymbolList, TimeframeList } from "@/lib/admin/form-fields";
import { questionSymbols } from "@/lib/admin/questions";
import { requireKeyOf } from "@/lib/admin/require-key-of";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

const Fields = z.object({
  key_id: Id,
  plan_tier: PlanField,
  symbols_allowed: SymbolList,
  tfs_allowed: TimeframeList,
  rate_limit_per_min: RateLimit,
  symbols_to_come: Confirmed,
});

/** POST: changes plan and limits of a key, from its next request on. */
export const POST = formRoute({
  name: "key.grant",
  guard: adminOnly,
  fields: Fields,
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ values, actor, params }) => {
    const { keyId } = await requireKeyOf(db(), params, values.key_id);
    await questionSymbols(values.symbols_allowed, values.symbols_to_come);
    const { action } = await changeGrant(
      db(),
      keyId,
      {
        planTier: values.plan_tier,
        symbolsAllowed: values.symbols_allowed,
        tfsAllowed: values.tfs_allowed,
        rateLimitPerMin: values.rate_limit_per_min,
      },
      actor,
    );
    return {
      to: adminPaths.subscriber(Number(params.id)),
      flash: {
        kind: "done",
        text:
          action === "changed"
            ? "Plan and limits are changed. They hold from the next request on."
            : "Plan and limits are the same as before: nothing was changed.",
      },
    };
  },
});
