import { Frame, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface TestMailProps {
  links: MailLinks;
}

export const subject = () => "A test mail";

/** Sent by an administrator to test the mail settings. */
export function Message({ links }: TestMailProps) {
  return (
    <Frame
      subject={subject()}
      preheader="A test of the mail settings."
      heading="A test mail"
      footer="You get this mail because an administrator of this service sent a test to your address."
      links={links}
    >
      <Paragraph>Mail from this service reaches you.</Paragraph>
    </Frame>
  );
}

export const previewProps: TestMailProps = { links: PREVIEW_LINKS };
