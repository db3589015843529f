import { endpointIdOf, endpointNumber } from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { removeEndpoint } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";

/** POST: deletes an endpoint with its secret. */
export const POST = formRoute({
  name: "portal.webhook_delete",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: (params: { id: string }) => paths.portalWebhook(endpointNumber(params)),
  act: async ({ subscriber, actor, params }) => {
    const endpointId = endpointIdOf(params);
    await removeEndpoint(db(), subscriber, endpointId, actor);
    return { to: paths.portalDelivery(), flash: { kind: "done", text: "The endpoint is deleted." } };
  },
});
