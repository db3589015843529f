import type { AddressChannelName } from "@/lib/vocabulary";
import type { AddressChannel } from "./address-channel";
import { discordChannel } from "./discord";

/** The channels that share the tables of recipients and deliveries. */
export const ADDRESS_CHANNELS: Record<AddressChannelName, AddressChannel> = { discord: discordChannel };
