import { Action, Facts, Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { moment } from "./words";

export interface WebhookPausedProps {
  name: string | null;
  /** Host of the endpoint. */
  host: string;
  /** What the last try met, in a word. */
  code: string;
  attempts: number;
  /** ISO 8601. */
  pausedAt: string;
  links: MailLinks;
}

export const subject = () => "Your webhook is paused";

/** Sent when an endpoint has taken nothing for a day, or has said that it is gone. */
export function Message({ name, host, code, attempts, pausedAt, links }: WebhookPausedProps) {
  return (
    <Frame
      subject={subject()}
      preheader="Your server did not take what we sent. Nothing more is sent until you resume."
      heading={subject()}
      footer="You get this mail because an endpoint of yours could not be reached."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        Your server did not take an event, and we have stopped sending to it. Signals in the portal and over
        the interface are not affected.
      </Paragraph>
      <Facts
        rows={[
          ["Server", host],
          ["Last answer", code.replaceAll("_", " ")],
          ["Tries", String(attempts)],
          ["Paused", moment(pausedAt)],
        ]}
      />
      <Paragraph>
        When your server works again, resume the endpoint in the portal. What was published in the last 24
        hours is then sent in its order.
      </Paragraph>
      <Action href={links.webhooks}>Look at the endpoint</Action>
    </Frame>
  );
}

export const previewProps: WebhookPausedProps = {
  name: "Ada Lovelace",
  host: "hooks.example.com",
  code: "status_500",
  attempts: 10,
  pausedAt: "2026-11-22T09:30:00Z",
  links: PREVIEW_LINKS,
};
