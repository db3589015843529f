import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface OwnerAlertProps {
  name: string | null;
  /** The alerts, in the order in which they began, each with the URL of its page. */
  items: readonly { title: string; text: string; url: string }[];
  settingsUrl: string;
  links: MailLinks;
}

export const subject = ({ items }: OwnerAlertProps) => {
  const [first] = items;
  const more = items.length - 1;
  return `${first?.title ?? "No alert"}${more > 0 ? `, and ${more} more` : ""}`;
};

/** Sent to an owner of the service who chose these alerts. */
export function Message(props: OwnerAlertProps) {
  const { name, items, settingsUrl, links } = props;
  const [first] = items;
  return (
    <Frame
      subject={subject(props)}
      preheader="The alerts you chose, each with its page."
      heading={subject(props)}
      footer={`You get this mail because you chose these alerts. Change them: ${settingsUrl}`}
      links={links}
    >
      <Greeting name={name} />
      {items.length > 1 ? (
        <NameValueTable
          rows={items.map(({ title, text, url }): [string, string] => [title, `${text} ${url}`])}
        />
      ) : (
        <Paragraph>{first?.text}</Paragraph>
      )}
      {first && <ActionButton href={first.url}>Open the page</ActionButton>}
    </Frame>
  );
}

export const previewProps: OwnerAlertProps = {
  name: "Ada Lovelace",
  items: [
    {
      title: "The service is degraded",
      text: "Signals: no new signal for 47 minutes.",
      url: "https://signals.example/admin/signals",
    },
    {
      title: "2 mails could not be delivered",
      text: "A customer may be waiting for a key.",
      url: "https://signals.example/admin/mail?status=dead",
    },
  ],
  settingsUrl: "https://signals.example/admin/alerts",
  links: PREVIEW_LINKS,
};
