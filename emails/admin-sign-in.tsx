import { countWithNoun } from "./format";
import { ActionButton, Frame, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface AdminSignInProps {
  url: string;
  expiresMinutes: number;
  links: MailLinks;
}

export const subject = () => "Your sign-in link for the administrator's area";

/** Sent on request: an administrator's sign-in link, which also needs a code. */
export function Message({ url, expiresMinutes, links }: AdminSignInProps) {
  return (
    <Frame
      subject={subject()}
      preheader={`Works once, for ${countWithNoun(expiresMinutes, "minute")}, and asks for a code.`}
      heading="Sign in to the administrator's area"
      footer="Someone entered your address to sign in. If it was not you, you can ignore this mail: the link does not work without your authenticator."
      links={links}
    >
      <Paragraph>
        Use this link to sign in. It works once and for {countWithNoun(expiresMinutes, "minute")}, and asks
        for the code of your authenticator.
      </Paragraph>
      <ActionButton href={url}>Sign in</ActionButton>
    </Frame>
  );
}

export const previewProps: AdminSignInProps = {
  url: "https://signals.example/admin/sign-in/link?token=sample",
  expiresMinutes: 10,
  links: PREVIEW_LINKS,
};
