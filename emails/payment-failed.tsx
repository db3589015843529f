import { type AccessEnd, accessRows, formatDateTime, type PlansUntil } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface PaymentFailedProps extends AccessEnd {
  name: string | null;
  planTier: string;
  /** ISO 8601. */
  expiresAt: string;
  /** The plans in order, if there are several. */
  stretches?: readonly PlansUntil[];
  links: MailLinks;
}

export const subject = () => "Your payment did not go through";

/** Sent when a payment failed, with the date on which access will end. */
export function Message({ name, planTier, expiresAt, paidUntil, stretches, links }: PaymentFailedProps) {
  return (
    <Frame
      subject={subject()}
      preheader={`Access stays open until ${formatDateTime(expiresAt)}.`}
      heading={subject()}
      footer="You get this mail because a payment for your access failed. If you have paid in the meantime, you do not have to do anything."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        The payment platform could not collect your payment. Nothing has changed yet: you keep your access
        until {formatDateTime(expiresAt)}, so that you have time to pay.
      </Paragraph>
      <NameValueTable rows={accessRows({ planTier, expiresAt, paidUntil, stretches })} />
      <Paragraph>
        If no payment arrives before then, signals stop at that moment. As soon as one arrives, your access
        continues with the same key.
      </Paragraph>
      {links.shop ? (
        <ActionButton href={links.shop}>Renew</ActionButton>
      ) : (
        <ActionButton href={links.portal}>Open the portal</ActionButton>
      )}
    </Frame>
  );
}

export const previewProps: PaymentFailedProps = {
  name: "Ada Lovelace",
  planTier: "basic",
  expiresAt: "2026-11-24T09:30:00Z",
  links: PREVIEW_LINKS,
};
