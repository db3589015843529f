import { formatDateTime } from "./format";
import {
  ActionButton,
  Frame,
  Greeting,
  InlineCode,
  KeyBlock,
  type MailLinks,
  NameValueTable,
  Paragraph,
} from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { chatNames, type SignalDelivery } from "./signal-delivery";

export interface KeyRotatedProps {
  name: string | null;
  /** The new key; the old one is never mailed. */
  apiKey: string;
  rotatedAt: string;
  /** Whether an administrator rotated the key. */
  byOperator?: boolean;
  delivery: SignalDelivery;
  links: MailLinks;
}

export const subject = ({ byOperator = false }: Pick<KeyRotatedProps, "byOperator">) =>
  byOperator ? "The operator rotated your API key" : "Your API key was rotated";

/** Sent when a subscriber or an administrator rotated the key, with the new key and the setting to change. */
export function Message({ name, apiKey, rotatedAt, byOperator = false, delivery, links }: KeyRotatedProps) {
  return (
    <Frame
      subject={subject({ byOperator })}
      preheader={
        delivery.hasEa
          ? "The previous key no longer works. Change one setting in your trading client."
          : "The previous key no longer works. Your own programs need the new one."
      }
      heading={subject({ byOperator })}
      footer={
        byOperator
          ? "You get this mail because the operator of this service rotated the key of your access. If you do not know why, contact the seller."
          : "You get this mail because the key of your access was rotated. If it was not you, sign in at once, rotate the key again and sign out everywhere."
      }
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        {byOperator ? "The operator of this service rotated your key" : "Your key was rotated"}, and the
        previous one stopped working at that moment. This is the new key:
      </Paragraph>
      <KeyBlock label="New API key" value={apiKey} />
      <NameValueTable rows={[["Rotated", formatDateTime(rotatedAt)]]} />
      {delivery.hasEa ? (
        <>
          <Paragraph>
            A trading client that uses the previous key does not work until you change it: in MetaTrader, open
            the inputs of the EA and set <InlineCode>InpApiKey</InlineCode> to the new key. Nothing else
            changes.
          </Paragraph>
          <ActionButton href={links.setup}>Check the connection</ActionButton>
        </>
      ) : (
        <>
          <Paragraph>
            {delivery.chats.length > 0 && `Messages in ${chatNames(delivery)} continue without the key. `}
            If one of your own programs uses the previous key, give it the new one. Nothing else changes.
          </Paragraph>
          <ActionButton href={links.portal}>Open the portal</ActionButton>
        </>
      )}
    </Frame>
  );
}

export const previewProps: KeyRotatedProps = {
  name: "Ada Lovelace",
  apiKey: "00000000-0000-4000-8000-000000000000",
  rotatedAt: "2026-11-21T09:30:00Z",
  delivery: { hasEa: true, chats: ["Telegram", "Discord"] },
  links: PREVIEW_LINKS,
};
