import { db } from "@/db/client";
import { documentRoute } from "@/lib/auth/document-route";
import { subscriberOnly } from "@/lib/auth/guards";
import { csvOfPayments } from "@/lib/payments/export-payments";
import { streamText } from "@/lib/runtime/stream-text";
import { csvTargetOf } from "@/lib/wire/csv";

/** GET /portal/payments/export: every payment of the subscription as CSV. */
export const GET = documentRoute({
  name: "portal.export_payments",
  guard: subscriberOnly,
  make: async ({ request, subscriber }) => {
    const pieces = csvOfPayments(db(), subscriber.subscriptionId, csvTargetOf(request.url));
    return new Response(streamText(pieces), {
      headers: {
        "Content-Type": "text/csv; charset=utf-8; header=present",
        "Content-Disposition": `attachment; filename="payments-${new Date().toISOString().slice(0, 10)}.csv"`,
      },
    });
  },
});
