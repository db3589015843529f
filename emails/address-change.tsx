import { Action, Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { counted } from "./words";

export interface AddressChangeProps {
  name: string | null;
  /** Whether this is the address to be, and not the one in force. */
  isNew: boolean;
  url: string;
  expiresMinutes: number;
  links: MailLinks;
}

export const subject = ({ isNew }: AddressChangeProps) =>
  isNew ? "Confirm your new address" : "Confirm the change of your address";

/** Sent on request to both mailboxes: the address changes when both said yes. */
export function Message(props: AddressChangeProps) {
  const { name, isNew, url, expiresMinutes, links } = props;
  return (
    <Frame
      subject={subject(props)}
      preheader="Both mailboxes have to confirm."
      heading={subject(props)}
      footer={
        isNew
          ? "You get this mail because somebody gave your address as the new one of their account. If it was not you, ignore it: without this link nothing changes."
          : "You get this mail because somebody who is signed in to your account asked for it. If it was not you, do not use the link, sign out everywhere in the portal, and replace your key."
      }
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        {isNew
          ? "This is to be the address of your account: for signing in, and for every mail."
          : "Your account is to have another address. From then on this one signs nobody in and gets no more mails."}{" "}
        A link went to the former and to the new mailbox; the address changes when both were used.
      </Paragraph>
      <Action href={url}>Confirm</Action>
      <Paragraph>The link works once and for {counted(expiresMinutes, "minute")}.</Paragraph>
    </Frame>
  );
}

export const previewProps: AddressChangeProps = {
  name: "Ada Lovelace",
  isNew: false,
  url: "https://signals.example/login/account?token=sample",
  expiresMinutes: 60,
  links: PREVIEW_LINKS,
};
