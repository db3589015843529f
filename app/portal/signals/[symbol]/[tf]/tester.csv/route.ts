import { db } from "@/db/client";
import { scopeIncludes } from "@/lib/access/plans";
import { parseQuery } from "@/lib/api/parse";
import { documentRoute } from "@/lib/auth/document-route";
import { CSV_TYPE, exportAnswer } from "@/lib/auth/export-answer";
import { subscriberOnly } from "@/lib/auth/guards";
import { strategyTesterFile } from "@/lib/signals/record/tester-file";
import { AppError } from "@/lib/wire/errors";
import { parseSlot } from "@/lib/wire/slot-params";
import { StrategyTesterQuery } from "@/lib/wire/tester-query";

/** GET /portal/signals/{symbol}/{tf}/tester.csv: decisions of a slot of the plan for the Strategy Tester. */
export const GET = documentRoute<Awaited<ReturnType<typeof subscriberOnly>>, { symbol: string; tf: string }>({
  name: "portal.tester",
  guard: subscriberOnly,
  make: async ({ request, params, subscriber }) => {
    const slot = parseSlot(params);
    const isIncluded = scopeIncludes(subscriber.scope, slot.symbol, slot.timeframe);
    if (!isIncluded || subscriber.delayCandles !== null) throw new AppError("not_found");
    const { from, to } = parseQuery(request, StrategyTesterQuery);
    const { name, pieces } = await strategyTesterFile(db("heavy"), { ...slot, from, to }, new Date());
    return exportAnswer(`subscription/${subscriber.subscriptionId}`, pieces, { type: CSV_TYPE, name });
  },
});
