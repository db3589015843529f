import { db } from "@/db/client";
import type { ExecutionFilter, ExecutionOrder } from "@/db/queries/portal-executions";
import { formRoute, requireSubscriberOf } from "@/lib/auth/form-route";
import { ExecutionQuery, filterOf, orderOf } from "@/lib/executions/execution-filter";
import { csvOfExecutions } from "@/lib/executions/export-executions";

/** GET /portal/executions/export: exactly the filtered list, in its order, as CSV. */
export const GET = formRoute(async (request) => {
  const subscriber = await requireSubscriberOf(request);
  const query = ExecutionQuery.parse(Object.fromEntries(new URL(request.url).searchParams));
  const now = new Date();

  return new Response(stream(filterOf(query, subscriber, now), orderOf(query)), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="executions-${now.toISOString().slice(0, 10)}.csv"`,
    },
  });
});

/** A page of rows at a time, read when the browser has taken the one before. */
function stream(filter: ExecutionFilter, order: ExecutionOrder): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  const chunks = csvOfExecutions(db(), filter, order);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(text.encode(value));
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}
