import { db } from "@/db/client";
import { documentRoute } from "@/lib/auth/document-route";
import { exportAnswer } from "@/lib/auth/export-answer";
import { subscriberOnly } from "@/lib/auth/guards";
import { exportSubscriberData } from "@/lib/subscribers/export-data";

/** GET /portal/settings/my-data: all data about the subscription as a JSON document. */
export const GET = documentRoute({
  name: "portal.my_data",
  guard: subscriberOnly,
  make: async ({ subscriber }) => {
    const now = new Date();

    return exportAnswer(
      `subscription/${subscriber.subscriptionId}`,
      exportSubscriberData(db("heavy"), subscriber, now),
      {
        type: "application/json; charset=utf-8",
        name: `my-data-${now.toISOString().slice(0, 10)}.json`,
      },
    );
  },
});
