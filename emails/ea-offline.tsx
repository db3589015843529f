import { Action, Facts, Frame, Greeting, type MailLinks, Paragraph, Steps } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { counted, moment } from "./words";

export interface EaOfflineProps {
  name: string | null;
  lastSeenAt: string;
  silentMinutes: number;
  links: MailLinks;
}

export const subject = () => "Your trading client is offline";

/** Sent when a trading client stopped calling while the market is open. */
export function Message({ name, lastSeenAt, silentMinutes, links }: EaOfflineProps) {
  return (
    <Frame
      subject={subject()}
      preheader="It has stopped asking for signals while the market is open."
      heading="Your trading client is offline"
      footer="You get this mail once for each time your trading client falls silent while the market is open."
      declinable
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        Your trading client has not called for {counted(silentMinutes, "minute")} of open market. Until it
        does, it gets no signals and we do not hear of its positions.
      </Paragraph>
      <Facts rows={[["Last call", moment(lastSeenAt)]]} />
      <Paragraph>What helps most often:</Paragraph>
      <Steps
        steps={[
          { id: "running", text: "Check that MetaTrader runs and is connected to your broker." },
          {
            id: "attached",
            text: "Check that the EA is on its chart and that algorithmic trading is switched on.",
          },
          { id: "journal", text: "Look into the Experts tab: the last line tells why the call failed." },
        ]}
      />
      <Action href={links.setup}>Check the connection</Action>
    </Frame>
  );
}

export const previewProps: EaOfflineProps = {
  name: "Ada Lovelace",
  lastSeenAt: "2026-11-20T14:05:00Z",
  silentMinutes: 34,
  links: PREVIEW_LINKS,
};
