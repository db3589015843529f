import { z } from "zod";
import { db } from "@/db/client";
import {
  CONFIRMATION_FIELDS,
  OptionalWholeNumber,
  SymbolField,
  TimeframeField,
} from "@/lib/admin/form-fields";
import { changeSlot } from "@/lib/admin/settings/change-slot";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { backToForm } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";

const NAME = "thresholds.slot";
const TRAINED = { general: null, yes: true, no: false } as const;

/** POST: stores the staleness limit and training interval of a slot, after a preview. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    symbol: SymbolField,
    timeframe: TimeframeField,
    grace_minutes: OptionalWholeNumber(0, 10_080),
    trained: z.enum(["general", "yes", "no"], "must be one of the three"),
    train_every_hours: OptionalWholeNumber(1, 8_784),
    ...CONFIRMATION_FIELDS,
  }),
  page: () => adminPaths.thresholds(),
  act: async ({ values, sent, actor }) => {
    const { symbol, timeframe } = values;
    const after = {
      symbol,
      timeframe,
      graceMinutes: values.grace_minutes,
      isTrained: TRAINED[values.trained],
      trainEveryHours: values.train_every_hours,
    };
    const changed = await changeSlot(db(), after, values, actor);
    return backToForm(adminPaths.thresholds({ slot: `${symbol}/${timeframe}` }), changed, NAME, sent);
  },
});
