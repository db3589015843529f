import { formatDateTime } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface AccessReinstatedProps {
  name: string | null;
  /** ISO 8601; null: access does not end. */
  expiresAt: string | null;
  links: MailLinks;
}

export const subject = () => "Your access is open again";

/** Sent when a suspended key, or a key revoked by a chargeback, works again. */
export function Message({ name, expiresAt, links }: AccessReinstatedProps) {
  return (
    <Frame
      subject={subject()}
      preheader="Your API key works again. You do not need to change anything."
      heading={subject()}
      footer="You get this mail because the operator of this service has reinstated your access."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        Your access is no longer suspended. Your key works again, and you do not need to change anything in
        your trading client.
      </Paragraph>
      <NameValueTable
        rows={[["Access until", expiresAt === null ? "no end date" : formatDateTime(expiresAt)]]}
      />
      <ActionButton href={links.portal}>Open the portal</ActionButton>
    </Frame>
  );
}

export const previewProps: AccessReinstatedProps = {
  name: "Ada Lovelace",
  expiresAt: "2026-12-25T10:00:00Z",
  links: PREVIEW_LINKS,
};
