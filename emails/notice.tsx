import { ActionButton, Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface NoticeProps {
  name: string | null;
  title: string;
  /** The text, with paragraphs separated by empty lines. */
  text: string;
  links: MailLinks;
}

export const subject = ({ title }: NoticeProps) => title;

/** A notice of the operator, or an update of the status page. */
export function Message(props: NoticeProps) {
  const { name, title, text, links } = props;
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.trim());
  return (
    <Frame
      subject={subject(props)}
      preheader="A message from the operator of this service."
      heading={title}
      footer="You get this mail because you have access to this service and its operator sent a notice."
      declinable
      links={links}
    >
      <Greeting name={name} />
      {paragraphs.map((paragraph) => (
        <Paragraph key={paragraph}>{paragraph}</Paragraph>
      ))}
      <ActionButton href={links.portal}>Open the portal</ActionButton>
    </Frame>
  );
}

export const previewProps: NoticeProps = {
  name: "Ada Lovelace",
  title: "A new symbol from Monday on",
  text: "From Monday on the plan Pro includes USDCAD on H1 and H4.\n\nThere is nothing to change in your trading client.",
  links: PREVIEW_LINKS,
};
