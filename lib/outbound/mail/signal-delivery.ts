import type { DatabaseHandle } from "@/db/client";
import { findKeyPlans } from "@/db/queries/mail";
import type { SignalDelivery } from "@/emails/signal-delivery";
import { includesFeature, includesTradingClient, type PlansOfKey } from "@/lib/runtime/plan-features";
import type { MailContext } from "./links";

/** How signals arrive, as stored with a mail. Whether the operator has a Telegram bot is read when it is rendered. */
export interface StoredSignalDelivery {
  /** Whether the plans are for a trading client, or one has called. */
  hasEa: boolean;
  /** Whether the plans include chats. */
  hasChats: boolean;
}

/** A change of the way in which signals arrive: now by a trading client, or in chats instead of by one. */
export type NewWay = "ea" | "chats";

/** How the signals of a key arrive by its plans at this moment, for a mail about its end, pause or rotation. */
export async function readSignalDelivery(
  handle: DatabaseHandle,
  keyId: number,
): Promise<StoredSignalDelivery> {
  const { hasCalled, ...held } = await findKeyPlans(handle, keyId);
  return {
    hasEa: hasCalled || includesTradingClient(held),
    hasChats: includesFeature(held, "telegram"),
  };
}

/** The change in the way in which signals arrive between the plans `before` and `after`; undefined: none. */
export function newWayAfter(
  before: PlansOfKey & { hasCalled?: boolean },
  after: PlansOfKey,
): NewWay | undefined {
  const hadEa = includesTradingClient(before);
  if (includesTradingClient(after)) return hadEa || before.hasCalled ? undefined : "ea";
  if (!includesFeature(after, "telegram")) return undefined;
  return hadEa || !includesFeature(before, "telegram") ? "chats" : undefined;
}

/** The chats that plans with Telegram include. Discord needs no setup by the operator. */
const chatsOffered = ({ hasTelegramBot }: Pick<MailContext, "hasTelegramBot">): SignalDelivery["chats"] =>
  hasTelegramBot ? ["Telegram", "Discord"] : ["Discord"];

/** Most plans are for a trading client: a mail that a former release queued says nothing about its plan. */
const UNKNOWN: StoredSignalDelivery = { hasEa: true, hasChats: false };

/** How signals arrive, as a mail names it. */
export const signalDelivery = (
  { hasEa, hasChats }: StoredSignalDelivery = UNKNOWN,
  site: MailContext,
): SignalDelivery => ({ hasEa, chats: hasChats ? chatsOffered(site) : [] });

/** How the signals of plans arrive, as the mail with a new key names it. */
export const signalDeliveryOfPlans = (held: PlansOfKey, site: MailContext): SignalDelivery =>
  signalDelivery({ hasEa: includesTradingClient(held), hasChats: includesFeature(held, "telegram") }, site);

/** A change of the way in which signals arrive, as a mail names it. */
export const newWayInMail = (
  way: NewWay | undefined,
  site: MailContext,
): "ea" | SignalDelivery["chats"] | undefined => (way === "chats" ? chatsOffered(site) : way);
