import { endpointIdOf, endpointNumber } from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { sendTest } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";

/** POST: sends a test to an endpoint. */
export const POST = formRoute({
  name: "portal.webhook_test",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: (params: { id: string }) => paths.portalWebhook(endpointNumber(params)),
  act: async ({ subscriber, params }) => {
    const endpointId = endpointIdOf(params);
    await sendTest(db(), subscriber, endpointId);
    return {
      to: paths.portalWebhook(endpointId),
      flash: { kind: "done", text: "A test is on its way. Reload this page to see the answer." },
    };
  },
});
