import { EndpointForm, endpointOfForm } from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { createEndpoint } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";

/** POST: makes an endpoint and shows its secret once. */
export const POST = formRoute({
  name: "portal.webhook_create",
  guard: subscriberToldOnce,
  fields: EndpointForm,
  page: () => paths.portalDelivery(),
  act: async ({ subscriber, actor, values }) => {
    const { endpointId, secret } = await createEndpoint(db(), subscriber, endpointOfForm(values), actor);
    return {
      to: paths.portalWebhookSecret(endpointId),
      flash: { kind: "webhook-secret", endpointId, secret, isNew: true },
    };
  },
});
