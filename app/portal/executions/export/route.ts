import { db } from "@/db/client";
import { documentRoute } from "@/lib/auth/document-route";
import { CSV_TYPE, exportAnswer } from "@/lib/auth/export-answer";
import { subscriberOnly } from "@/lib/auth/guards";
import { ExecutionQuery, filterOf, orderOf } from "@/lib/executions/execution-filter";
import { csvOfExecutions } from "@/lib/executions/export-executions";
import { sortOrderForExport } from "@/lib/executions/list-positions";
import { csvTargetOf } from "@/lib/wire/csv";

/** GET /portal/executions/export: the filtered list as CSV, in the list's order unless it is too long to sort. */
export const GET = documentRoute({
  name: "portal.export_executions",
  guard: subscriberOnly,
  make: async ({ request, subscriber }) => {
    const query = ExecutionQuery.parse(Object.fromEntries(new URL(request.url).searchParams));
    const now = new Date();
    const filter = filterOf(query, subscriber, now);

    const order = await sortOrderForExport(db("heavy"), filter, orderOf(query));
    const pieces = csvOfExecutions(db("heavy"), filter, order, csvTargetOf(request.url));

    return exportAnswer(`subscription/${subscriber.subscriptionId}`, pieces, {
      type: CSV_TYPE,
      name: `executions-${now.toISOString().slice(0, 10)}.csv`,
    });
  },
});
