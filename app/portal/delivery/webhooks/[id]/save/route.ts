import {
  EndpointForm,
  endpointIdOf,
  endpointNumber,
  endpointOfForm,
} from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { changeEndpoint } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";

/** POST: changes address and events of an endpoint. */
export const POST = formRoute({
  name: "portal.webhook_save",
  guard: subscriberToldOnce,
  fields: EndpointForm,
  page: (params: { id: string }) => paths.portalWebhook(endpointNumber(params)),
  act: async ({ subscriber, actor, params, values }) => {
    const endpointId = endpointIdOf(params);
    await changeEndpoint(db(), subscriber, endpointId, endpointOfForm(values), actor);
    return { to: paths.portalWebhook(endpointId), flash: { kind: "done", text: "Saved." } };
  },
});
