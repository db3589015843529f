import { z } from "zod";
import { WEBHOOK_EVENTS } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";

const chosen = z.literal("true").optional();

/** The fields of an endpoint as its form sends them. The verb judges them. */
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

/** The number of an endpoint in an address. Throws not_found. */
export function endpointIdOf({ id }: { id: string }): number {
  if (/^[1-9][0-9]{0,8}$/.test(id)) return Number(id);
  throw new AppError("not_found");
}

/** The page of an endpoint, whatever its address holds. */
export const endpointNumber = ({ id }: { id: string }): number =>
  /^[1-9][0-9]{0,8}$/.test(id) ? Number(id) : 0;

/** An endpoint as the reader may see it: an address may hold a secret, which an administrator who looks does not see. */
export function endpointShownTo<E extends { url: string }>(
  subscriber: { viewedUntil: Date | null },
  endpoint: E,
): E {
  return subscriber.viewedUntil === null
    ? endpoint
    : { ...endpoint, url: `${new URL(endpoint.url).origin}/…` };
}
