import { db } from "@/db/client";
import { documentRoute } from "@/lib/auth/document-route";
import { exportAnswer } from "@/lib/auth/export-answer";
import { getOwnSubscriptionId } from "@/lib/auth/get-own-subscription";
import { signedInOnly } from "@/lib/auth/guards";
import { exportSubscriberData } from "@/lib/subscribers/export-data";

/** GET /login/subscriptions/{id}/my-data: like the export of the portal, also after access has ended. */
export const GET = documentRoute<Awaited<ReturnType<typeof signedInOnly>>, { id: string }>({
  name: "login.my_data",
  guard: signedInOnly,
  make: async ({ person: { userId, ...person }, params: { id } }) => {
    const subscriptionId = await getOwnSubscriptionId(person, id);
    const now = new Date();

    return exportAnswer(
      `subscription/${subscriptionId}`,
      exportSubscriberData(db("heavy"), { userId, subscriptionId }, now),
      {
        type: "application/json; charset=utf-8",
        name: `my-data-${now.toISOString().slice(0, 10)}.json`,
      },
    );
  },
});
