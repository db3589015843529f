import { countWithNoun } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

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
      preheader={`The link works once, for ${countWithNoun(expiresMinutes, "minute")}.`}
      heading={subject()}
      footer="You get this mail because someone who is signed in to your account requested it. If it was not you, do not use the link, sign out everywhere in the portal, and rotate your key."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        You asked us to delete your account. The link opens a page with a button. When you press it, your keys
        stop working at once, and your name, your address and everything else that identifies you is deleted.
        This cannot be undone.
      </Paragraph>
      <Paragraph>
        This does not cancel your subscription in the shop. Cancel it where you bought it, or the next payment
        creates a new account.
      </Paragraph>
      <ActionButton href={url}>Continue to deletion</ActionButton>
      <Paragraph>The link works once and for {countWithNoun(expiresMinutes, "minute")}.</Paragraph>
    </Frame>
  );
}

export const previewProps: AccountDeletionProps = {
  name: "Ada Lovelace",
  url: "https://signals.example/login/account?token=sample",
  expiresMinutes: 60,
  links: PREVIEW_LINKS,
};
