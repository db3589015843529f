import { formatDateTime } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface WebhookPausedProps {
  name: string | null;
  /** Host of the endpoint. */
  host: string;
  /** Error code of the last attempt, such as `status_500`. */
  code: string;
  attempts: number;
  /** ISO 8601. */
  pausedAt: string;
  links: MailLinks;
}

export const subject = () => "Your webhook is paused";

/** Sent when the last attempt of a delivery failed, about a day after the first one, or the endpoint answered 410. */
export function Message({ name, host, code, attempts, pausedAt, links }: WebhookPausedProps) {
  return (
    <Frame
      subject={subject()}
      preheader="Your server did not accept our events. We send no more until you resume."
      heading={subject()}
      footer="You get this mail because one of your endpoints could not be reached."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        Your server did not accept an event, so we have stopped sending to it. Signals in the portal and over
        the API are not affected.
      </Paragraph>
      <NameValueTable
        rows={[
          ["Server", host],
          ["Last response", code.replaceAll("_", " ")],
          ["Attempts", String(attempts)],
          ["Paused", formatDateTime(pausedAt)],
        ]}
      />
      <Paragraph>
        When your server works again, resume the endpoint in the portal. The signals of the last 24 hours are
        then sent in order.
      </Paragraph>
      <ActionButton href={links.webhooks}>Open the endpoint</ActionButton>
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
