/** How the signals of a subscriber's plans arrive. */
export interface SignalDelivery {
  /** Whether the plans are for a trading client, or one has called. */
  hasEa: boolean;
  /** The chats to which the plans send signals and which the operator offers. */
  chats: readonly ("Telegram" | "Discord")[];
}

/** The chats as a phrase: "Telegram or Discord". */
export const chatNames = ({ chats }: Pick<SignalDelivery, "chats">): string => chats.join(" or ");

/** Says which signals stop, without an instant. */
export function signalsStopSentence(delivery: SignalDelivery): string {
  const { hasEa, chats } = delivery;
  if (chats.length === 0)
    return hasEa ? "Your trading client receives no more signals." : "Your key gets no more signals.";
  const messages = `messages in ${chatNames(delivery)} stop`;
  return hasEa
    ? `Your trading client receives no more signals, and ${messages}.`
    : `Your key gets no more signals, and ${messages}.`;
}
