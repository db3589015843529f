import { countWithNoun, formatDateTime } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph, Steps } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface EaOfflineProps {
  name: string | null;
  lastSeenAt: string;
  silentMinutes: number;
  links: MailLinks;
}

export const subject = () => "Your trading client is offline";

/** Sent when a trading client stops calling while the market is open. */
export function Message({ name, lastSeenAt, silentMinutes, links }: EaOfflineProps) {
  return (
    <Frame
      subject={subject()}
      preheader="It has stopped requesting signals while the market is open."
      heading="Your trading client is offline"
      footer="You get this mail once each time your trading client goes offline while the market is open."
      declinable
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        Your trading client has not connected for {countWithNoun(silentMinutes, "minute")} in which the market
        was open and this service worked. Until it does, it gets no signals and cannot report positions.
      </Paragraph>
      <NameValueTable rows={[["Last connection", formatDateTime(lastSeenAt)]]} />
      <Paragraph>What usually helps:</Paragraph>
      <Steps
        steps={[
          { id: "running", text: "Check that MetaTrader is running and connected to your broker." },
          {
            id: "attached",
            text: "Check that the EA is on its chart and that algorithmic trading is switched on.",
          },
          { id: "journal", text: "Open the Experts tab: the last line shows why the connection failed." },
        ]}
      />
      <ActionButton href={links.setup}>Check the connection</ActionButton>
    </Frame>
  );
}

export const previewProps: EaOfflineProps = {
  name: "Ada Lovelace",
  lastSeenAt: "2026-11-20T14:05:00Z",
  silentMinutes: 34,
  links: PREVIEW_LINKS,
};
