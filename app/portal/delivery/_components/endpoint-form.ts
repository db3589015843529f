import { z } from "zod";
import { WEBHOOK_EVENTS } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";

const chosen = z.literal("true").optional();

/** The fields of the endpoint form; lib validates them. */
export const EndpointForm = z.object({
  url: z.string(),
  "signal.created": chosen,
  "signal.resolved": chosen,
  "model.changed": chosen,
  "key.expiring": chosen,
});

export const endpointOfForm = (values: z.output<typeof EndpointForm>) => ({
  url: values.url,
  events: WEBHOOK_EVENTS.filter((event) => values[event] === "true"),
});

/** The id of the endpoint in an address. Throws not_found. */
export function endpointIdOf({ id }: { id: string }): number {
  if (/^[1-9][0-9]{0,8}$/.test(id)) return Number(id);
  throw new AppError("not_found");
}

/** The id of the endpoint in an address, or 0 if the address is invalid. No endpoint has the id 0. */
export const endpointIdOrZero = ({ id }: { id: string }): number =>
  /^[1-9][0-9]{0,8}$/.test(id) ? Number(id) : 0;

/** Hides the path of an endpoint's URL from an administrator who views the portal, because it may contain a secret. */
export function hidePathFromAdministrator<E extends { url: string }>(
  subscriber: { viewedUntil: Date | null },
  endpoint: E,
): E {
  return subscriber.viewedUntil === null
    ? endpoint
    : { ...endpoint, url: `${new URL(endpoint.url).origin}/…` };
}
