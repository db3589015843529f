import type { RevokingEvent } from "@/lib/vocabulary";
import { formatDateTime } from "./format";
import { Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { type SignalDelivery, signalsStopSentence } from "./signal-delivery";

export interface AccessRevokedProps {
  name: string | null;
  event: RevokingEvent;
  revokedAt: string;
  keysRevoked: number;
  /** Whether the address has other payments, whose time the end of access took too. */
  hasOtherPayments: boolean;
  delivery: SignalDelivery;
  links: MailLinks;
}

const CAUSES: Record<RevokingEvent, string> = {
  "payment.invoice_canceled": "your payment was cancelled",
  "payment.invoice_refunded": "your payment was refunded",
  "payment.invoice_chargeback": "your payment was charged back",
};

export const subject = () => "Your access has ended";

/** Sent when a cancellation, refund or chargeback revoked keys. */
export function Message({
  name,
  event,
  revokedAt,
  keysRevoked,
  hasOtherPayments,
  delivery,
  links,
}: AccessRevokedProps) {
  return (
    <Frame
      subject={subject()}
      preheader={
        delivery.hasEa
          ? "Your API key no longer works. Open positions stay with your broker."
          : "Your API key no longer works, and you get no more signals."
      }
      heading="Your access has ended"
      footer="You get this mail because access that was bought with your address has ended. If this is a mistake, contact the seller."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        Your access has ended because {CAUSES[event]}. {signalsStopSentence(delivery)}
      </Paragraph>
      {hasOtherPayments && (
        <Paragraph>
          If your other payments had time left, that access has ended too. Contact the seller to get it back.
        </Paragraph>
      )}
      <NameValueTable
        rows={[
          ["Ended", formatDateTime(revokedAt)],
          ["Keys revoked", String(keysRevoked)],
        ]}
      />
      <Paragraph>
        {delivery.hasEa
          ? "Open positions stay with your broker and get no more signals. Manage them yourself. If an EA uses this key, remove it from its chart."
          : "If one of your own programs uses this key, stop it."}
      </Paragraph>
      <Paragraph>
        If you buy access again, you get a new key and your history continues where it stopped.
      </Paragraph>
    </Frame>
  );
}

export const previewProps: AccessRevokedProps = {
  name: "Ada Lovelace",
  event: "payment.invoice_refunded",
  revokedAt: "2026-11-21T09:30:00Z",
  keysRevoked: 1,
  hasOtherPayments: false,
  delivery: { hasEa: true, chats: ["Telegram", "Discord"] },
  links: PREVIEW_LINKS,
};
