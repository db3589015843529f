import { endpointIdOf, endpointNumber } from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { rotateEndpointSecret } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";

/** POST: a new secret beside the present one, shown once. */
export const POST = formRoute({
  name: "portal.webhook_rotate",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: (params: { id: string }) => paths.portalWebhook(endpointNumber(params)),
  act: async ({ subscriber, actor, params }) => {
    const endpointId = endpointIdOf(params);
    const secret = await rotateEndpointSecret(db(), subscriber, endpointId, actor);
    return {
      to: paths.portalWebhookSecret(endpointId),
      flash: { kind: "webhook-secret", endpointId, secret, isNew: false },
    };
  },
});
