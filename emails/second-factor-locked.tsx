import { countWithNoun, formatDateTime } from "./format";
import { Frame, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface SecondFactorLockedProps {
  /** Name of the administrator for whom wrong codes were entered. */
  name: string;
  wrongCodes: number;
  until: string;
  links: MailLinks;
}

export const subject = ({ name }: SecondFactorLockedProps) => `Too many wrong codes for ${name}`;

/** Sent to every owner when an administrator's authenticator was locked after wrong codes. */
export function Message(props: SecondFactorLockedProps) {
  const { name, wrongCodes, until, links } = props;
  return (
    <Frame
      subject={subject(props)}
      preheader="Someone with access to this mailbox may be guessing codes."
      heading="An authenticator was locked"
      footer="You get this mail because you are an owner of this service."
      links={links}
    >
      <Paragraph>
        {countWithNoun(wrongCodes, "wrong code")} in a row were entered on sign-in links mailed to {name}. If
        it was not {name}, someone else reads that mailbox: secure it, and remove the administrator until
        then. A recovery code still signs {name} in.
      </Paragraph>
      <NameValueTable
        rows={[
          ["Administrator", name],
          ["Locked until", formatDateTime(until)],
        ]}
      />
    </Frame>
  );
}

export const previewProps: SecondFactorLockedProps = {
  name: "Ada",
  wrongCodes: 10,
  until: "2026-11-22T09:30:00Z",
  links: PREVIEW_LINKS,
};
