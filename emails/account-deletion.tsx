import { Action, Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { counted } from "./words";

export interface AccountDeletionProps {
  name: string | null;
  url: string;
  expiresMinutes: number;
  links: MailLinks;
}

export const subject = () => "Delete your account?";

/** Sent on request: the link that deletes the account. */
export function Message({ name, url, expiresMinutes, links }: AccountDeletionProps) {
  return (
    <Frame
      subject={subject()}
      preheader={`The link works once, for ${counted(expiresMinutes, "minute")}.`}
      heading={subject()}
      footer="You get this mail because somebody who is signed in to your account asked for it. If it was not you, do not use the link, sign out everywhere in the portal, and replace your key."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        You asked us to delete your account. The link opens a page with a button; when you press it, your keys
        stop working at once, and your name, your address and everything else that names you is deleted. This
        cannot be undone.
      </Paragraph>
      <Paragraph>
        It does not end a subscription at the shop: cancel that where you bought it, or the next payment opens
        a new account.
      </Paragraph>
      <Action href={url}>Go on to delete my account</Action>
      <Paragraph>The link works once and for {counted(expiresMinutes, "minute")}.</Paragraph>
    </Frame>
  );
}

export const previewProps: AccountDeletionProps = {
  name: "Ada Lovelace",
  url: "https://signals.example/login/account?token=sample",
  expiresMinutes: 60,
  links: PREVIEW_LINKS,
};
