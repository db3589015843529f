import { Link } from "react-email";
import { countWithNoun } from "./format";
import { ActionButton, Frame, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { STYLES } from "./theme";

export interface SignInProps {
  /** URL of a page with a button that signs in. The link alone does not, because mail scanners open links. */
  url: string;
  expiresMinutes: number;
  links: MailLinks;
}

export const subject = () => "Your sign-in link";

/** Sent on request: the subscriber's sign-in link. */
export function Message({ url, expiresMinutes, links }: SignInProps) {
  return (
    <Frame
      subject={subject()}
      preheader={`Works once, for ${countWithNoun(expiresMinutes, "minute")}.`}
      heading="Sign in"
      footer="Someone entered your address to sign in. If it was not you, you can ignore this mail: nobody can sign in without the link."
      links={links}
    >
      <Paragraph>
        Use this link to sign in. It works once and for {countWithNoun(expiresMinutes, "minute")}.
      </Paragraph>
      <ActionButton href={url}>Sign in</ActionButton>
      <Paragraph htmlOnly>
        If the button does nothing, open this address in any browser:{" "}
        <Link className="link" href={url} style={STYLES.link}>
          {url}
        </Link>
      </Paragraph>
    </Frame>
  );
}

export const previewProps: SignInProps = {
  url: "https://signals.example/login/confirm?token=sample",
  expiresMinutes: 10,
  links: PREVIEW_LINKS,
};
