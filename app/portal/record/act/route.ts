import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberWithFlash } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { shareRecord, withdrawRecordLink } from "@/lib/executions/own-record/share-record";
import { paths } from "@/lib/paths";

const common = { guard: subscriberWithFlash, fields: NoFields, page: () => paths.portalRecord() };

/** POST: creates and withdraws the link that shares the subscriber's record. */
export const POST = dispatchByIntent({
  /** Creates the link, which the next page shows once. */
  share: formRoute({
    ...common,
    name: "portal.record_share",
    act: async ({ subscriber, actor }) => ({
      flash: { kind: "record-link", token: await shareRecord(db(), subscriber.subscriptionId, actor) },
    }),
  }),

  withdraw: formRoute({
    ...common,
    name: "portal.record_withdraw",
    act: async ({ subscriber, actor }) => {
      await withdrawRecordLink(db(), subscriber.subscriptionId, actor);
      return "The link is withdrawn.";
    },
  }),
});
