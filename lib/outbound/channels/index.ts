import type { ChannelName } from "@/lib/vocabulary";
import { discordChannel } from "./discord";
import type { RecipientChannel } from "./recipient-channel";

/** The channels that share the tables of recipients and deliveries. */
export const RECIPIENT_CHANNELS: Record<ChannelName, RecipientChannel> = { discord: discordChannel };
