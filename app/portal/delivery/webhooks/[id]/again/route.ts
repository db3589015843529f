import { z } from "zod";
import { endpointNumber } from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { sendAgain } from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";

const Fields = z.object({ delivery_id: z.string().regex(/^[0-9]{1,15}$/) });

/** POST: sends a delivery once more. */
export const POST = formRoute({
  name: "portal.webhook_again",
  guard: subscriberToldOnce,
  fields: Fields,
  page: (params: { id: string }) => paths.portalWebhook(endpointNumber(params)),
  act: async ({ subscriber, actor, params, values }) => {
    await sendAgain(db(), subscriber, Number(values.delivery_id), actor);
    return {
      to: paths.portalWebhook(endpointNumber(params)),
      flash: { kind: "done", text: "It is on its way again, with the same id." },
    };
  },
});
