import { db } from "@/db/client";
import { documentRoute } from "@/lib/auth/document-route";
import { subscriberOnly } from "@/lib/auth/guards";
import { ExecutionQuery, filterOf, orderOf } from "@/lib/executions/execution-filter";
import { csvOfExecutions } from "@/lib/executions/export-executions";
import { streamText } from "@/lib/runtime/stream-text";

/** GET /portal/executions/export: exactly the filtered list, in its order, as CSV. */
export const GET = documentRoute({
  name: "portal.export_executions",
  guard: subscriberOnly,
  make: async ({ request, subscriber }) => {
    const query = ExecutionQuery.parse(Object.fromEntries(new URL(request.url).searchParams));
    const now = new Date();

    const pieces = csvOfExecutions(db("statistics"), filterOf(query, subscriber, now), orderOf(query));

    return new Response(streamText(pieces), {
      headers: {
        "Content-Type": "text/csv; charset=utf-8; header=present",
        "Content-Disposition": `attachment; filename="executions-${now.toISOString().slice(0, 10)}.csv"`,
      },
    });
  },
});
