import { z } from "zod";
import { db } from "@/db/client";
import { changePlan } from "@/lib/access/change-plan";
import {
  Confirmed,
  OptionalText,
  OptionalUrl,
  RequiredText,
  SymbolList,
  TimeframeList,
  WholeNumber,
} from "@/lib/admin/form-fields";
import { changedFlash } from "@/lib/auth/changed-flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

const NAME = "plan.save";

const Fields = z.object({
  name: z.string().trim().max(24, "must have at most 24 characters"),
  is_new: Confirmed,
  title: RequiredText(60),
  for_whom: z.string().trim().max(200, "must have at most 200 characters"),
  rank: WholeNumber(1, 2_000_000),
  symbols: SymbolList,
  timeframes: TimeframeList,
  rate_limit_per_min: WholeNumber(1, 100_000),
  long_poll: Confirmed,
  stream: Confirmed,
  webhooks: Confirmed,
  telegram: Confirmed,
  price_text: OptionalText(60),
  shop_url: OptionalUrl,
  is_shown: Confirmed,
  mark: z.string().optional(),
});

/** POST: stores a plan, new or changed, after showing whom it touches. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: Fields,
  page: () => adminPaths.plans(),
  backTo: ({ name, is_new }) => (is_new === "true" ? adminPaths.newPlan() : adminPaths.plan(name ?? "")),
  act: async ({ values, sent, actor }) => {
    const changed = await changePlan(
      db("writes"),
      {
        name: values.name,
        title: values.title,
        forWhom: values.for_whom,
        rank: values.rank,
        symbols: values.symbols,
        timeframes: values.timeframes,
        rateLimitPerMin: values.rate_limit_per_min,
        longPoll: values.long_poll,
        stream: values.stream,
        webhooks: values.webhooks,
        telegram: values.telegram,
        priceText: values.price_text,
        shopUrl: values.shop_url,
        isShown: values.is_shown,
      },
      { isNew: values.is_new, mark: values.mark },
      actor,
    );
    const form = values.is_new ? adminPaths.newPlan() : adminPaths.plan(values.name);
    return {
      to: changed.outcome === "previewed" ? form : adminPaths.plans(),
      flash: changedFlash(changed, NAME, sent),
    };
  },
});
