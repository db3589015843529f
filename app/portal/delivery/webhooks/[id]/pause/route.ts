import { endpointIdOf, endpointNumber } from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { pauseEndpoint } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";

/** POST: sends nothing more to an endpoint until it is resumed. */
export const POST = formRoute({
  name: "portal.webhook_pause",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: (params: { id: string }) => paths.portalWebhook(endpointNumber(params)),
  act: async ({ subscriber, actor, params }) => {
    const endpointId = endpointIdOf(params);
    await pauseEndpoint(db(), subscriber, endpointId, actor);
    return {
      to: paths.portalWebhook(endpointId),
      flash: { kind: "done", text: "Paused. New events wait for up to a day." },
    };
  },
});
