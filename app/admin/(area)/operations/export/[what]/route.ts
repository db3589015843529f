import { db } from "@/db/client";
import { csvOfAudit, csvOfDeliveries, csvOfSubscribers } from "@/lib/admin/export-csv";
import { documentRoute } from "@/lib/auth/document-route";
import { type Administrator, adminOnly } from "@/lib/auth/guards";
import type { Call } from "@/lib/auth/handler";
import { csvOfEveryExecution } from "@/lib/executions/export-executions";
import { recordAudit } from "@/lib/runtime/audit";
import { streamText } from "@/lib/runtime/stream-text";
import { AppError } from "@/lib/wire/errors";

/** The tables that the operator can download, by name. */
const EXPORTS = new Map([
  ["subscribers", csvOfSubscribers],
  ["executions", csvOfEveryExecution],
  ["deliveries", csvOfDeliveries],
  ["audit", csvOfAudit],
]);

/** GET: one table as CSV, streamed. That it was taken is recorded first. */
export const GET = documentRoute({
  name: "export",
  guard: adminOnly,
  make: async ({ params, actor }: Call<Administrator, { what: string }>) => {
    const name = params.what;
    const csvOf = EXPORTS.get(name);
    if (!csvOf) throw new AppError("not_found");
    await recordAudit(db("writes"), { actor, action: "export", target: name });
    const day = new Date().toISOString().slice(0, 10);
    return new Response(streamText(csvOf(db("statistics"))), {
      headers: {
        "Content-Type": "text/csv; charset=utf-8; header=present",
        "Content-Disposition": `attachment; filename="${name}-${day}.csv"`,
      },
    });
  },
});
