import { ActionButton, type MailLinks, Paragraph } from "./frame";
import type { SignalDelivery } from "./signal-delivery";

/** How a subscriber of a plan without trading clients gets its signals, and the button that leads there. */
export function ChatStep({ chats, links }: Pick<SignalDelivery, "chats"> & { links: MailLinks }) {
  if (chats.includes("Telegram"))
    return (
      <>
        <Paragraph>
          Signals come to you in Telegram. Sign in, choose Link Telegram on the page Delivery, and press Start
          in the chat that opens. You need the key only for signing in, or for your own programs.
        </Paragraph>
        <ActionButton href={links.webhooks}>Link Telegram</ActionButton>
      </>
    );
  if (chats.length > 0)
    return (
      <>
        <Paragraph>
          Signals come to you as messages. The operator has not set up a Telegram bot yet, so no Telegram chat
          can be linked. Discord works now: sign in and save the webhook of your Discord channel on the page
          Delivery. You need the key only for signing in, or for your own programs.
        </Paragraph>
        <ActionButton href={links.webhooks}>Open Delivery</ActionButton>
      </>
    );
  return (
    <>
      <Paragraph>
        The signals of this plan are in the portal. Your own programs get them with the key.
      </Paragraph>
      <ActionButton href={links.portal}>Open the portal</ActionButton>
    </>
  );
}

/** Says that a plan with a trading client has begun, for a subscriber who had none before. */
export function EaStep({ links }: { links: MailLinks }) {
  return (
    <>
      <Paragraph>
        Your plan now includes a trading client. The page Setup in the portal has the EA to download and shows
        every step for MetaTrader. The EA needs your key. If you no longer have it, rotate it in the portal.
      </Paragraph>
      <ActionButton href={links.setup}>Connect your EA</ActionButton>
    </>
  );
}
