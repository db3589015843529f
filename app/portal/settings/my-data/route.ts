import { db } from "@/db/client";
import { formRoute, requireSubscriberOf } from "@/lib/auth/form-route";
import { exportSubscriberData } from "@/lib/export-subscriber-data";

/** GET /portal/settings/my-data: everything kept about the subscription, as one JSON document. */
export const GET = formRoute(async (request) => {
  const subscriber = await requireSubscriberOf(request);
  const now = new Date();
  const text = new TextEncoder();
  const chunks = exportSubscriberData(db(), subscriber, now);

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(text.encode(value));
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="my-data-${now.toISOString().slice(0, 10)}.json"`,
    },
  });
});
