import { Link } from "react-email";
import { countWithNoun } from "./format";
import { ActionButton, Frame, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { STYLES } from "./theme";

export interface TryOutProps {
  /** URL of a page with a button that creates the key. The link alone does not, because mail scanners open links. */
  url: string;
  expiresHours: number;
  links: MailLinks;
}

export const subject = () => "Confirm your try-out";

/** Sent when a visitor requests a try-out key. The link proves that the address is theirs. */
export function Message({ url, expiresHours, links }: TryOutProps) {
  return (
    <Frame
      subject={subject()}
      preheader="Press the button, and we mail you the key."
      heading="Confirm your try-out"
      footer="Someone entered your address to try the signals. If it was not you, you can ignore this mail: we create no key unless you press the button."
      links={links}
    >
      <Paragraph>
        Confirm your address and we mail you a try-out key. The link works for{" "}
        {countWithNoun(expiresHours, "hour")}. Each address gets one try-out.
      </Paragraph>
      <ActionButton href={url}>Get my key</ActionButton>
      <Paragraph htmlOnly>
        If the button does nothing, open this address in any browser:{" "}
        <Link className="link" href={url} style={STYLES.link}>
          {url}
        </Link>
      </Paragraph>
    </Frame>
  );
}

export const previewProps: TryOutProps = {
  url: "https://signals.example/login/try-out?token=sample",
  expiresHours: 24,
  links: PREVIEW_LINKS,
};
