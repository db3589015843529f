import { z } from "zod";
import {
  EndpointForm,
  endpointIdOf,
  endpointIdOrZero,
  endpointOfForm,
} from "@/app/portal/delivery/_components/endpoint-form";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberWithFlash } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import {
  changeEndpoint,
  pauseEndpoint,
  queueTestDelivery,
  removeEndpoint,
  resendOutgoingWebhook,
  resumeEndpoint,
  rotateEndpointSecret,
} from "@/lib/outbound/webhooks/endpoints";
import { paths } from "@/lib/paths";

const common = {
  guard: subscriberWithFlash,
  page: (params: { id: string }) => paths.portalWebhook(endpointIdOrZero(params)),
};

/** POST: the forms on the page of an endpoint. */
export const POST = dispatchByIntent({
  /** Changes address and events. */
  save: formRoute({
    ...common,
    name: "portal.webhook_save",
    fields: EndpointForm,
    act: async ({ subscriber, actor, params, values }) => {
      await changeEndpoint(db(), subscriber, endpointIdOf(params), endpointOfForm(values), actor);
      return "Saved.";
    },
  }),

  test: formRoute({
    ...common,
    name: "portal.webhook_test",
    fields: NoFields,
    act: async ({ subscriber, params }) => {
      await queueTestDelivery(db(), subscriber, endpointIdOf(params));
      return "A test is on its way. Reload this page to see the response.";
    },
  }),

  /** Pauses the endpoint until it is resumed. */
  pause: formRoute({
    ...common,
    name: "portal.webhook_pause",
    fields: NoFields,
    act: async ({ subscriber, actor, params }) => {
      await pauseEndpoint(db(), subscriber, endpointIdOf(params), actor);
      return "Paused. New events wait for up to a day.";
    },
  }),

  resume: formRoute({
    ...common,
    name: "portal.webhook_resume",
    fields: NoFields,
    act: async ({ subscriber, actor, params }) => {
      await resumeEndpoint(db(), subscriber, endpointIdOf(params), actor);
      return "Resumed. What waited is on its way.";
    },
  }),

  /** Creates a new secret in addition to the current one and shows it once. */
  rotate: formRoute({
    ...common,
    name: "portal.webhook_rotate",
    fields: NoFields,
    act: async ({ subscriber, actor, params }) => {
      const endpointId = endpointIdOf(params);
      const secret = await rotateEndpointSecret(db(), subscriber, endpointId, actor);
      return {
        to: paths.portalWebhookSecret(endpointId),
        flash: { kind: "webhook-secret", endpointId, secret, isNew: false },
      };
    },
  }),

  /** Resends a delivery. */
  again: formRoute({
    ...common,
    name: "portal.webhook_again",
    fields: z.object({ delivery_id: z.string().regex(/^[0-9]{1,15}$/) }),
    act: async ({ subscriber, actor, values }) => {
      await resendOutgoingWebhook(db(), subscriber, Number(values.delivery_id), actor);
      return "Queued again, with the same id.";
    },
  }),

  /** Deletes the endpoint with its secret. */
  delete: formRoute({
    ...common,
    name: "portal.webhook_delete",
    fields: NoFields,
    act: async ({ subscriber, actor, params }) => {
      await removeEndpoint(db(), subscriber, endpointIdOf(params), actor);
      return { to: paths.portalDelivery(), flash: { kind: "done", text: "The endpoint is deleted." } };
    },
  }),
});
