import { z } from "zod";
import type { RecipientInput } from "@/lib/outbound/channels/recipients";
import {
  ADDRESS_CHANNEL_NAMES,
  type AddressChannelName,
  RECIPIENT_EVENTS,
  type RecipientEventName,
} from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";

const chosen = z.literal("true").optional();
const hour = z.string().regex(/^(?:[0-9]|1[0-9]|2[0-3])?$/);

/** The fields of the channel form; lib/outbound/channels validates them. */
export const ChannelFormFields = z.object({
  address: z.string(),
  ...({
    "signal.created": chosen,
    "signal.no_trade": chosen,
    "signal.resolved": chosen,
    incident: chosen,
  } satisfies Record<RecipientEventName, typeof chosen>),
  quiet_from: hour,
  quiet_to: hour,
});

const hourOf = (text: string): number | null => (text === "" ? null : Number(text));

export const recipientOfForm = (values: z.output<typeof ChannelFormFields>): RecipientInput => ({
  address: values.address,
  events: RECIPIENT_EVENTS.filter((event) => values[event] === "true"),
  quietFrom: hourOf(values.quiet_from),
  quietTo: hourOf(values.quiet_to),
});

/** The channel in an address. Throws not_found. */
export function channelOf({ channel }: { channel: string }): AddressChannelName {
  const found = ADDRESS_CHANNEL_NAMES.find((name) => name === channel);
  if (found === undefined) throw new AppError("not_found");
  return found;
}
