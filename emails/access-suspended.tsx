import { formatDateTime } from "./format";
import { Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface AccessSuspendedProps {
  name: string | null;
  suspendedAt: string;
  links: MailLinks;
}

export const subject = () => "Your access is suspended";

/** Sent when the operator suspends a key. */
export function Message({ name, suspendedAt, links }: AccessSuspendedProps) {
  return (
    <Frame
      subject={subject()}
      preheader="Your API key is suspended for now. Open positions stay with your broker."
      heading="Your access is suspended"
      footer="You get this mail because the operator of this service has suspended your access."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        Your key is suspended for now. Your trading client receives no signals until the key is reinstated;
        you do not need to change anything in it then.
      </Paragraph>
      <NameValueTable rows={[["Suspended", formatDateTime(suspendedAt)]]} />
      <Paragraph>
        Open positions stay with your broker. For three days your client can still report closed positions, so
        that your results are complete.
      </Paragraph>
    </Frame>
  );
}

export const previewProps: AccessSuspendedProps = {
  name: "Ada Lovelace",
  suspendedAt: "2026-11-21T09:30:00Z",
  links: PREVIEW_LINKS,
};
