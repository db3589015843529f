import { z } from "zod";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { resendChannelMessage } from "@/lib/outbound/channels/recipients";
import { resendTelegramMessage } from "@/lib/outbound/telegram/links";
import { resendOutgoingWebhook } from "@/lib/outbound/webhooks/endpoints";
import { adminPaths } from "@/lib/paths";

/** POST: the forms of the page “Delivery” (webhooks and messages to subscribers). */
export const POST = dispatchByIntent({
  /** Resends a webhook delivery or a message. */
  again: formRoute({
    name: "delivery.again",
    guard: adminOnly,
    fields: z.object({
      what: z.enum(["webhook", "telegram", "channel"]),
      id: z.string().regex(/^[0-9]{1,15}$/),
    }),
    page: () => adminPaths.outbound(),
    act: async ({ values, actor }) => {
      const id = Number(values.id);
      if (values.what === "webhook") await resendOutgoingWebhook(db(), "administrator", id, actor);
      else if (values.what === "channel") await resendChannelMessage(db(), id, actor);
      else await resendTelegramMessage(db(), id, actor);
      return "Queued again.";
    },
  }),
});
