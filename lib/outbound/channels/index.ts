import type { ChannelName } from "@/lib/vocabulary";
import { discord } from "./discord";
import type { RecipientChannel } from "./recipient-channel";

/** The channels whose recipients and deliveries are in the shared tables. */
export const RECIPIENT_CHANNELS: Record<ChannelName, RecipientChannel> = { discord };
