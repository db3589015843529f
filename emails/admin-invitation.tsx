import { countWithNoun } from "./format";
import { ActionButton, Frame, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface AdminInvitationProps {
  name: string;
  /** The role in words, such as "owner". */
  role: string;
  url: string;
  expiresHours: number;
  /** Whether the person is an administrator already, and an owner replaced the authenticator. */
  isRenewal?: boolean;
  /** Name of the owner who sent the link; missing: unknown. */
  invitedBy?: string;
  links: MailLinks;
}

export const subject = ({ isRenewal }: AdminInvitationProps) =>
  isRenewal ? "Set up your new authenticator" : "You are invited to administer the service";

/** Sent to a person whom an owner invited as an administrator, or whose authenticator an owner replaced. */
export function Message(props: AdminInvitationProps) {
  const { name, role, url, expiresHours, isRenewal, invitedBy = "An owner", links } = props;
  return (
    <Frame
      subject={subject(props)}
      preheader={`The ${isRenewal ? "link" : "invitation"} is valid for ${countWithNoun(expiresHours, "hour")}.`}
      heading={isRenewal ? "Your new authenticator" : `Welcome, ${name}`}
      footer={
        isRenewal
          ? "You get this mail because an owner of this service replaced your authenticator. If you do not know why, ask the owner."
          : "You get this mail because an owner of this service invited your address. If you do not know why, ignore it."
      }
      links={links}
    >
      <Paragraph>
        {isRenewal
          ? `${invitedBy} replaced your authenticator. Your former codes and recovery codes no longer work, and you are signed out everywhere.`
          : `${invitedBy} invites you to administer the service.`}{" "}
        You need an authenticator app on your phone: the link shows a QR code for it and asks for the first
        code.
      </Paragraph>
      <NameValueTable rows={[["Role", role]]} />
      <ActionButton href={url}>
        {isRenewal ? "Set up the authenticator" : "Accept the invitation"}
      </ActionButton>
      <Paragraph>
        The link works once, within {countWithNoun(expiresHours, "hour")}. After that, ask an owner for a new
        one.
      </Paragraph>
    </Frame>
  );
}

export const previewProps: AdminInvitationProps = {
  name: "Ada Lovelace",
  role: "support",
  url: "https://signals.example/admin/sign-in/link?token=sample",
  expiresHours: 72,
  invitedBy: "Charles Babbage",
  links: PREVIEW_LINKS,
};
