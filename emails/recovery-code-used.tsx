import { countWithNoun, formatDateTime } from "./format";
import { Frame, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface RecoveryCodeUsedProps {
  name: string;
  at: string;
  codesLeft: number;
  links: MailLinks;
}

export const subject = () => "A recovery code signed you in";

/** Sent to an administrator who signed in with a recovery code in place of the authenticator. */
export function Message(props: RecoveryCodeUsedProps) {
  const { name, at, codesLeft, links } = props;
  return (
    <Frame
      subject={subject()}
      preheader="If it was not you, ask an owner to remove your access now."
      heading="A recovery code was used"
      footer="You get this mail because you are an administrator of this service."
      links={links}
    >
      <Paragraph>
        Someone signed in as {name} with one of your recovery codes. If it was not you, secure this mailbox
        and ask an owner for a new authenticator: it ends your sessions and your recovery codes.
      </Paragraph>
      <NameValueTable
        rows={[
          ["When", formatDateTime(at)],
          ["Left", countWithNoun(codesLeft, "recovery code")],
        ]}
      />
    </Frame>
  );
}

export const previewProps: RecoveryCodeUsedProps = {
  name: "Ada",
  at: "2026-11-21T09:30:00Z",
  codesLeft: 9,
  links: PREVIEW_LINKS,
};
