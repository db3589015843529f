import type { RecipientChannelName } from "@/lib/vocabulary";
import { discordChannel } from "./discord";
import type { RecipientChannel } from "./recipient-channel";

/** The channels that share the tables of recipients and deliveries. */
export const RECIPIENT_CHANNELS: Record<RecipientChannelName, RecipientChannel> = { discord: discordChannel };
