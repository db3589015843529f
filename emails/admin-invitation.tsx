import { Action, Facts, Frame, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { pluralize } from "./words";

export interface AdminInvitationProps {
  name: string;
  /** In words, such as "owner". */
  role: string;
  url: string;
  expiresHours: number;
  links: MailLinks;
}

export const subject = () => "You are invited to administer the service";

/** Sent to a person whom an owner invited as an administrator. */
export function Message({ name, role, url, expiresHours, links }: AdminInvitationProps) {
  return (
    <Frame
      subject={subject()}
      preheader={`The invitation is valid for ${pluralize(expiresHours, "hour")}.`}
      heading={`Welcome, ${name}`}
      footer="You get this mail because an owner of this service invited your address. If you do not know why, ignore it."
      links={links}
    >
      <Paragraph>
        You are invited to administer the service. You need an authenticator app on your phone: the link shows
        a QR code for it and asks for the first code.
      </Paragraph>
      <Facts rows={[["Role", role]]} />
      <Action href={url}>Accept the invitation</Action>
    </Frame>
  );
}

export const previewProps: AdminInvitationProps = {
  name: "Ada Lovelace",
  role: "support",
  url: "https://signals.example/admin/sign-in/link?token=sample",
  expiresHours: 72,
  links: PREVIEW_LINKS,
};
