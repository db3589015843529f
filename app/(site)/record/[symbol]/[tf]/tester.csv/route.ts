import { db } from "@/db/client";
import { callingNetwork } from "@/lib/api/client-address";
import { parseQuery } from "@/lib/api/parse";
import { requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { documentRoute } from "@/lib/auth/document-route";
import { CSV_TYPE, exportAnswer } from "@/lib/auth/export-answer";
import { allowAnyone } from "@/lib/auth/guards";
import { strategyTesterFile } from "@/lib/signals/record/tester-file";
import { parseSlot } from "@/lib/wire/slot-params";
import { StrategyTesterQuery } from "@/lib/wire/tester-query";

/** GET /record/{symbol}/{tf}/tester.csv: the slot's decisions for the Strategy Tester, the oldest first. */
export const GET = documentRoute<Awaited<ReturnType<typeof allowAnyone>>, { symbol: string; tf: string }>({
  name: "record.tester",
  guard: allowAnyone,
  make: async ({ request, params }) => {
    await requireRecordIsOnAndQuota(request);
    const slot = parseSlot(params);
    const { from, to } = parseQuery(request, StrategyTesterQuery);
    const { name, pieces } = await strategyTesterFile(db("heavy"), { ...slot, from, to }, new Date());
    return exportAnswer(`record/${callingNetwork(request.headers)}`, pieces, { type: CSV_TYPE, name });
  },
});
