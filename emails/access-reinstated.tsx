import { type AccessEnd, endRows } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface AccessReinstatedProps extends AccessEnd {
  name: string | null;
  /** Why access had ended. Missing: the operator had suspended it. */
  after?: "chargeback" | "other_payment";
  links: MailLinks;
}

export const subject = () => "Your access is open again";

const REASONS = {
  suspension: {
    text: "Your access is no longer suspended.",
    footer: "the operator of this service has reinstated your access",
  },
  chargeback: {
    text: "The dispute about your payment is over, and the payment counts again.",
    footer: "your access had ended because of a dispute about your payment",
  },
  other_payment: {
    text: "Your access had ended because of a payment that turned out to be another subscriber's.",
    footer: "your access had ended because of another subscriber's payment",
  },
} as const;

/** Sent when a suspended key, or a key that a chargeback or another subscriber's payment had revoked, works again. */
export function Message({ name, after, expiresAt, paidUntil, links }: AccessReinstatedProps) {
  const reason = REASONS[after ?? "suspension"];
  return (
    <Frame
      subject={subject()}
      preheader="Your API key works again. You do not need to change anything."
      heading={subject()}
      footer={`You get this mail because ${reason.footer}.`}
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>{reason.text} Your key works again, and you do not need to change anything.</Paragraph>
      <NameValueTable rows={endRows({ expiresAt, paidUntil })} />
      <ActionButton href={links.portal}>Open the portal</ActionButton>
    </Frame>
  );
}

export const previewProps: AccessReinstatedProps = {
  name: "Ada Lovelace",
  expiresAt: "2026-12-25T10:00:00Z",
  links: PREVIEW_LINKS,
};
