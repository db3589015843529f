import { Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface PaymentMovedProps {
  name: string | null;
  /** Why: the buyer used another subscriber's renewal link, or the platform reported one purchase under two addresses. */
  reason: "renewal_link" | "two_addresses";
  links: MailLinks;
}

const TITLES = {
  renewal_link: "Your payment extends the access you already have",
  two_addresses: "One purchase has one key",
} as const;

const TEXTS = {
  renewal_link:
    "You paid through the renewal link of an existing subscription, so the payment extends that access. The key that we sent to this address for it is switched off. The key that you already have stays the same: there is nothing to change.",
  two_addresses:
    "The payment platform reported your purchase under two e-mail addresses. The key that we sent to this address is switched off. Use the key that we sent to your other address.",
} as const;

export const subject = ({ reason }: PaymentMovedProps) => TITLES[reason];

/** Sent when a payment was moved to another subscriber, so that the key that it had created was revoked. */
export function Message(props: PaymentMovedProps) {
  const { name, reason, links } = props;
  return (
    <Frame
      subject={subject(props)}
      preheader="The key that we sent to this address is switched off."
      heading={TITLES[reason]}
      footer="You get this mail because a key was sent to your address. If this is a mistake, contact the seller."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>{TEXTS[reason]}</Paragraph>
    </Frame>
  );
}

export const previewProps: PaymentMovedProps = {
  name: "Ada Lovelace",
  reason: "renewal_link",
  links: PREVIEW_LINKS,
};
