import { endpointIdOf, endpointNumber } from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { resumeEndpoint } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";

/** POST: lets an endpoint go on. */
export const POST = formRoute({
  name: "portal.webhook_resume",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: (params: { id: string }) => paths.portalWebhook(endpointNumber(params)),
  act: async ({ subscriber, actor, params }) => {
    const endpointId = endpointIdOf(params);
    await resumeEndpoint(db(), subscriber, endpointId, actor);
    return {
      to: paths.portalWebhook(endpointId),
      flash: { kind: "done", text: "Resumed. What waited is on its way." },
    };
  },
});
