import { countWithNoun } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface AddressChangeProps {
  name: string | null;
  /** Whether this mail goes to the new address. */
  isNew: boolean;
  url: string;
  expiresMinutes: number;
  links: MailLinks;
}

export const subject = ({ isNew }: AddressChangeProps) =>
  isNew ? "Confirm your new address" : "Confirm the change of your address";

/** Sent on request to both addresses: the address changes after both confirmed. */
export function Message(props: AddressChangeProps) {
  const { name, isNew, url, expiresMinutes, links } = props;
  return (
    <Frame
      subject={subject(props)}
      preheader="Both addresses have to confirm."
      heading={subject(props)}
      footer={
        isNew
          ? "You get this mail because someone entered your address as the new one of their account. If it was not you, ignore it: nothing changes without this link."
          : "You get this mail because someone who is signed in to your account requested it. If it was not you, do not use the link, sign out everywhere in the portal, and rotate your key."
      }
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        {isNew
          ? "This address is about to become the e-mail address of your account, for signing in and for every mail."
          : "Your account's e-mail address is about to change. After that you can no longer sign in with this address, and it gets no more mail."}{" "}
        We sent a link to the old and to the new address; the change takes effect when both links have been
        used. It signs out every browser that signed in by mail; keys continue.
      </Paragraph>
      <ActionButton href={url}>Confirm</ActionButton>
      <Paragraph>The link works once and for {countWithNoun(expiresMinutes, "minute")}.</Paragraph>
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
