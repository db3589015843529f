import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { shareRecord } from "@/lib/executions/own-record/share-record";
import { paths } from "@/lib/paths";

/** POST /portal/record/share: makes the link to one's own record, which the next page shows once. */
export const POST = formRoute({
  name: "portal.record_share",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: () => paths.portalRecord(),
  act: async ({ subscriber, actor }) => {
    const token = await shareRecord(db(), subscriber.subscriptionId, actor);
    return { to: paths.portalRecord(), flash: { kind: "record-link", token } };
  },
});
