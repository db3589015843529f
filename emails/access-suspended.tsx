import { formatDateTime } from "./format";
import { Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { chatNames, type SignalDelivery } from "./signal-delivery";

export interface AccessSuspendedProps {
  name: string | null;
  suspendedAt: string;
  delivery: SignalDelivery;
  links: MailLinks;
}

export const subject = () => "Your access is suspended";

/** Sent when the operator suspends a key. */
export function Message({ name, suspendedAt, delivery, links }: AccessSuspendedProps) {
  return (
    <Frame
      subject={subject()}
      preheader={
        delivery.hasEa
          ? "Your API key is suspended for now. Open positions stay with your broker."
          : "Your API key is suspended for now, and you get no signals."
      }
      heading="Your access is suspended"
      footer="You get this mail because the operator of this service has suspended your access."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        Your key is suspended for now. {untilReinstated(delivery)} You do not need to change anything then.
      </Paragraph>
      <NameValueTable rows={[["Suspended", formatDateTime(suspendedAt)]]} />
      {delivery.hasEa && (
        <Paragraph>
          Open positions stay with your broker. For three days your client can still report closed positions,
          so that your results are complete.
        </Paragraph>
      )}
    </Frame>
  );
}

function untilReinstated(delivery: SignalDelivery): string {
  const client = delivery.hasEa ? ["your trading client receives no signals"] : [];
  const messages = delivery.chats.length > 0 ? [`no messages are sent to ${chatNames(delivery)}`] : [];
  const effects = [...client, ...messages].join(" and ") || "it gets no signals";
  return `Until it is reinstated, ${effects}.`;
}

export const previewProps: AccessSuspendedProps = {
  name: "Ada Lovelace",
  suspendedAt: "2026-11-21T09:30:00Z",
  delivery: { hasEa: true, chats: ["Telegram", "Discord"] },
  links: PREVIEW_LINKS,
};
