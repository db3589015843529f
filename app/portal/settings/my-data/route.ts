import { db } from "@/db/client";
import { documentRoute } from "@/lib/auth/document-route";
import { subscriberOnly } from "@/lib/auth/guards";
import { streamText } from "@/lib/runtime/stream-text";
import { exportSubscriberData } from "@/lib/subscribers/export-data";

/** GET /portal/settings/my-data: everything kept about the subscription, as one JSON document. */
export const GET = documentRoute({
  name: "portal.my_data",
  guard: subscriberOnly,
  make: async ({ subscriber }) => {
    const now = new Date();

    return new Response(streamText(exportSubscriberData(db("statistics"), subscriber, now)), {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": `attachment; filename="my-data-${now.toISOString().slice(0, 10)}.json"`,
      },
    });
  },
});
