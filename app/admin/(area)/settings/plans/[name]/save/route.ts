import { z } from "zod";
import { db } from "@/db/client";
import { changePlan } from "@/lib/access/change-plan";
import {
  CONFIRMATION_FIELDS,
  ConfirmedField,
  OptionalText,
  OptionalUrl,
  RequiredText,
  SymbolList,
  TimeframeList,
  WholeNumber,
} from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { settingChangeFlash } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";

const NAME = "plan.save";
/** The path segment for a new plan, instead of a plan's name. */
const NEW = "new";

const Fields = z.object({
  /** Only for a new plan. */
  name: z.string().trim().max(24, "must have at most 24 characters").optional(),
  title: RequiredText(60),
  for_whom: z.string().trim().max(200, "must have at most 200 characters"),
  rank: WholeNumber(1, 2_000_000),
  symbols: SymbolList,
  timeframes: TimeframeList,
  rate_limit_per_min: WholeNumber(1, 100_000),
  long_poll: ConfirmedField,
  stream: ConfirmedField,
  webhooks: ConfirmedField,
  telegram: ConfirmedField,
  trading_client: ConfirmedField,
  price_text: OptionalText(60),
  shop_url: OptionalUrl,
  is_shown: ConfirmedField,
  ...CONFIRMATION_FIELDS,
});

const pageOf = (name: string) => (name === NEW ? adminPaths.newPlan() : adminPaths.plan(name));

/** POST: stores the plan in the path, or a new one, after a preview of the subscribers affected. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: Fields,
  page: ({ name }: { name: string }) => pageOf(name),
  act: async ({ values, sent, actor, params }) => {
    const isNew = params.name === NEW;
    const changed = await changePlan(
      db(),
      {
        name: isNew ? (values.name ?? "") : params.name,
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
        tradingClient: values.trading_client,
        priceText: values.price_text,
        shopUrl: values.shop_url,
        isShown: values.is_shown,
      },
      { isNew, mark: values.mark, version: values.version },
      actor,
    );
    return {
      to:
        changed.outcome === "previewed" || changed.outcome === "overtaken"
          ? pageOf(params.name)
          : adminPaths.plans(),
      flash: settingChangeFlash(changed, NAME, sent),
    };
  },
});
