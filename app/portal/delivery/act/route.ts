import { EndpointForm, endpointOfForm } from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberWithFlash } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { makeTelegramLink, unlinkTelegram } from "@/lib/outbound/telegram/links";
import { createEndpoint } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";

const common = { guard: subscriberWithFlash, page: () => paths.portalDelivery() };

/** POST: the forms of the delivery page. */
export const POST = dispatchByIntent({
  /** Creates a Telegram link, which the next page shows once. */
  "link-telegram": formRoute({
    ...common,
    name: "portal.telegram_link",
    fields: NoFields,
    act: async ({ subscriber, actor }) => ({
      flash: { kind: "telegram-link", url: await makeTelegramLink(db(), subscriber, actor) },
    }),
  }),

  "unlink-telegram": formRoute({
    ...common,
    name: "portal.telegram_unlink",
    fields: NoFields,
    act: async ({ subscriber, actor }) => {
      await unlinkTelegram(db(), subscriber.subscriptionId, actor);
      return "The chat is unlinked.";
    },
  }),

  /** Creates an endpoint and shows its secret once. */
  "create-webhook": formRoute({
    ...common,
    name: "portal.webhook_create",
    fields: EndpointForm,
    act: async ({ subscriber, actor, values }) => {
      const { endpointId, secret } = await createEndpoint(db(), subscriber, endpointOfForm(values), actor);
      return {
        to: paths.portalWebhookSecret(endpointId),
        flash: { kind: "webhook-secret", endpointId, secret, isNew: true },
      };
    },
  }),
});
