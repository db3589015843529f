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

export interface KeyRotatedProps {
  name: string | null;
  /** The new key; the old one is never mailed. */
  apiKey: string;
  rotatedAt: string;
  /** Whether an administrator rotated the key. */
  byOperator?: boolean;
  links: MailLinks;
}

export const subject = ({ byOperator = false }: Pick<KeyRotatedProps, "byOperator">) =>
  byOperator ? "The operator rotated your API key" : "Your API key was rotated";

/** Sent when a subscriber or an administrator rotated the key, with the new key and the setting to change. */
export function Message({ name, apiKey, rotatedAt, byOperator = false, links }: KeyRotatedProps) {
  return (
    <Frame
      subject={subject({ byOperator })}
      preheader="The previous key no longer works. Change one setting in your trading client."
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
      <Paragraph>
        A trading client that uses the previous key does not work until you change it: in MetaTrader, open the
        inputs of the EA and set <InlineCode>InpApiKey</InlineCode> to the new key. Nothing else changes.
      </Paragraph>
      <ActionButton href={links.setup}>Check the connection</ActionButton>
    </Frame>
  );
}

export const previewProps: KeyRotatedProps = {
  name: "Ada Lovelace",
  apiKey: "00000000-0000-4000-8000-000000000000",
  rotatedAt: "2026-11-21T09:30:00Z",
  links: PREVIEW_LINKS,
};
