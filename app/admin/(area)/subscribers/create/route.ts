import { z } from "zod";
import { db } from "@/db/client";
import { issueKey } from "@/lib/access/keys/issue-key";
import {
  Confirmed,
  Notes,
  OptionalEmail,
  PlanField,
  RateLimit,
  SymbolList,
  TimeframeList,
  UtcMinute,
} from "@/lib/admin/form-fields";
import { questionAddress, questionSymbols } from "@/lib/admin/questions";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { PersonName } from "@/lib/wire/person-name";

/** POST: makes a subscriber with a first key, which the next page shows once. */
export const POST = formRoute({
  name: "subscriber.create",
  guard: adminOnly,
  fields: z.object({
    user_name: PersonName,
    email: OptionalEmail,
    notes: Notes,
    plan_tier: PlanField,
    expires_at: UtcMinute,
    symbols_allowed: SymbolList,
    tfs_allowed: TimeframeList,
    rate_limit_per_min: RateLimit,
    symbols_to_come: Confirmed,
    same_address: Confirmed,
  }),
  page: () => adminPaths.newSubscriber(),
  act: async ({ values, actor }) => {
    await questionSymbols(values.symbols_allowed, values.symbols_to_come);
    await questionAddress(db(), values.email, values.same_address);
    const issued = await issueKey(
      db(),
      {
        userName: values.user_name,
        email: values.email,
        planTier: values.plan_tier,
        expiresAt: values.expires_at,
        notes: values.notes,
        symbolsAllowed: values.symbols_allowed,
        tfsAllowed: values.tfs_allowed,
        rateLimitPerMin: values.rate_limit_per_min,
      },
      actor,
      new Date(),
    );
    return {
      to: adminPaths.subscriberKey(issued.subscriptionId),
      flash: { kind: "key", keyId: issued.keyId, apiKey: issued.apiKey },
    };
  },
});
