import { ActionButton, Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface NoticeProps {
  name: string | null;
  title: string;
  /** The text, with paragraphs separated by empty lines. */
  text: string;
  /** Whether the mail is a test of the mail settings. */
  isTest?: boolean;
  links: MailLinks;
}

export const subject = ({ title }: NoticeProps) => title;

/** A notice of the operator, an update of the status page, or a test mail. */
export function Message(props: NoticeProps) {
  const { name, title, text, isTest = false, links } = props;
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.trim());
  return (
    <Frame
      subject={subject(props)}
      preheader={isTest ? "A test of the mail settings." : "A message from the operator of this service."}
      heading={title}
      footer={
        isTest
          ? "You get this mail because an administrator of this service sent a test to your address."
          : "You get this mail because you have access to this service and its operator sent a notice."
      }
      declinable={!isTest}
      links={links}
    >
      <Greeting name={name} />
      {paragraphs.map((paragraph) => (
        <Paragraph key={paragraph}>{paragraph}</Paragraph>
      ))}
      {!isTest && <ActionButton href={links.portal}>Open the portal</ActionButton>}
    </Frame>
  );
}

export const previewProps: NoticeProps = {
  name: "Ada Lovelace",
  title: "A new symbol from Monday on",
  text: "From Monday on the plan Pro includes USDCAD on H1 and H4.\n\nThere is nothing to change in your trading client.",
  links: PREVIEW_LINKS,
};
