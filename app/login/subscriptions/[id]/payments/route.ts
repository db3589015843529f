import { db } from "@/db/client";
import { documentRoute } from "@/lib/auth/document-route";
import { CSV_TYPE, exportAnswer } from "@/lib/auth/export-answer";
import { getOwnSubscriptionId } from "@/lib/auth/get-own-subscription";
import { signedInOnly } from "@/lib/auth/guards";
import { csvOfPayments } from "@/lib/payments/export-payments";
import { csvTargetOf } from "@/lib/wire/csv";

/** GET /login/subscriptions/{id}/payments: every payment as CSV, also after access has ended. */
export const GET = documentRoute<Awaited<ReturnType<typeof signedInOnly>>, { id: string }>({
  name: "login.export_payments",
  guard: signedInOnly,
  make: async ({ request, person, params: { id } }) => {
    const subscriptionId = await getOwnSubscriptionId(person, id);

    return exportAnswer(
      `subscription/${subscriptionId}`,
      csvOfPayments(db(), subscriptionId, csvTargetOf(request.url)),
      { type: CSV_TYPE, name: `payments-${new Date().toISOString().slice(0, 10)}.csv` },
    );
  },
});
