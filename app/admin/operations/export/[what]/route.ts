import { db } from "@/db/client";
import { csvOfAudit, csvOfDeliveries, csvOfSubscribers } from "@/lib/admin/export-csv";
import { adminDocument } from "@/lib/auth/admin-document";
import { csvOfEveryExecution } from "@/lib/executions/export-executions";
import { recordAudit } from "@/lib/runtime/audit";
import { streamText } from "@/lib/runtime/stream-text";
import { AppError } from "@/lib/wire/errors";

/** What the operator can take along, by name. */
const EXPORTS = new Map([
  ["subscribers", csvOfSubscribers],
  ["executions", csvOfEveryExecution],
  ["deliveries", csvOfDeliveries],
  ["audit", csvOfAudit],
]);

/** GET: one table as CSV, streamed. That it was taken is recorded first. */
export const GET = adminDocument<{ what: string }>("export", async ({ what }, actor) => {
  const csvOf = EXPORTS.get(what);
  if (!csvOf) throw new AppError("not_found");
  await recordAudit(db(), { actor, action: "export", target: what });
  const day = new Date().toISOString().slice(0, 10);
  return new Response(streamText(csvOf(db())), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${what}-${day}.csv"`,
    },
  });
});
