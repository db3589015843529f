import { db } from "@/db/client";
import { csvOfAudit, csvOfPaymentDeliveries, csvOfSubscribers } from "@/lib/admin/export-csv";
import { documentRoute } from "@/lib/auth/document-route";
import { CSV_TYPE, exportAnswer } from "@/lib/auth/export-answer";
import { type Administrator, adminOnly } from "@/lib/auth/guards";
import type { HandlerContext } from "@/lib/auth/handler";
import { csvOfEveryExecution } from "@/lib/executions/export-executions";
import { recordAudit } from "@/lib/runtime/audit";
import { csvTargetOf } from "@/lib/wire/csv";
import { AppError } from "@/lib/wire/errors";

/** The exports by the name in their address. */
const EXPORTS = new Map([
  ["subscribers", csvOfSubscribers],
  ["executions", csvOfEveryExecution],
  ["deliveries", csvOfPaymentDeliveries],
  ["audit", csvOfAudit],
]);

/** GET: one table as CSV, streamed. The audit row is written first. */
export const GET = documentRoute({
  name: "export",
  guard: adminOnly,
  make: async ({ request, params, actor }: HandlerContext<Administrator, { what: string }>) => {
    const name = params.what;
    const csvOf = EXPORTS.get(name);
    if (!csvOf) throw new AppError("not_found");
    const day = new Date().toISOString().slice(0, 10);
    const answer = await exportAnswer(`admin/${name}`, csvOf(db("heavy"), csvTargetOf(request.url)), {
      type: CSV_TYPE,
      name: `${name}-${day}.csv`,
    });
    try {
      await recordAudit(db(), { actor, action: "export", target: name });
    } catch (error) {
      await answer.body?.cancel();
      throw error;
    }
    return answer;
  },
});
