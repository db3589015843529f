import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { withdrawRecord } from "@/lib/executions/own-record/share-record";
import { paths } from "@/lib/paths";

/** POST /portal/record/withdraw: ends the link to one's own record. */
export const POST = formRoute({
  name: "portal.record_withdraw",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: () => paths.portalRecord(),
  act: async ({ subscriber, actor }) => {
    await withdrawRecord(db(), subscriber.subscriptionId, actor);
    return { to: paths.portalRecord(), flash: { kind: "done", text: "The link is withdrawn." } };
  },
});
