import { z } from "zod";
import { db } from "@/db/client";
import {
  CalendarField,
  CONFIRMATION_FIELDS,
  OptionalText,
  SymbolField,
  WholeNumber,
} from "@/lib/admin/form-fields";
import { changeSymbol } from "@/lib/admin/settings/change-symbol";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { settingChangeFlash } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";
import { COST_UNITS } from "@/lib/vocabulary";

const NAME = "symbol.save";
const DECIMAL = /^[0-9]{1,9}(?:\.[0-9]{1,9})?$/;

/** POST: stores the settings of a symbol, after a preview of the effect. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    symbol: SymbolField,
    calendar: CalendarField,
    digits: WholeNumber(0, 9),
    cost_kind: z.enum(COST_UNITS, "must be a kind of cost"),
    cost_value: z.string().trim().regex(DECIMAL, "must be a number such as 0.00008").transform(Number),
    description: OptionalText(200),
    aliases: z.string().transform((text, context) => {
      const names = [
        ...new Set(
          text
            .toUpperCase()
            .split(/[\s,;]+/)
            .filter(Boolean),
        ),
      ];
      if (names.length <= 50 && names.every((name) => name.length <= 64)) return names;
      context.addIssue({ code: "custom", message: "must be at most 50 names, separated by commas" });
      return z.NEVER;
    }),
    ...CONFIRMATION_FIELDS,
  }),
  page: () => adminPaths.symbols(),
  act: async ({ values, sent, actor }) => {
    const after = {
      symbol: values.symbol,
      calendar: values.calendar,
      digits: values.digits,
      costKind: values.cost_kind,
      costValue: values.cost_value,
      description: values.description,
      aliases: values.aliases,
      isGuessed: false,
    };
    const changed = await changeSymbol(db(), after, values, actor);
    return { to: adminPaths.symbols(), flash: settingChangeFlash(changed, NAME, sent) };
  },
});
