import { formatDateTime } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface ChannelPausedProps {
  name: string | null;
  /** Name of the channel, such as Discord. */
  channel: string;
  /** ISO 8601. */
  pausedAt: string;
  links: MailLinks;
}

const titleOf = (channel: string) => `Your messages in ${channel} are paused`;

export const subject = ({ channel }: ChannelPausedProps) => titleOf(channel);

/** Sent when a channel, such as Discord, no longer accepts the stored address and messages to it were paused. */
export function Message({ name, channel, pausedAt, links }: ChannelPausedProps) {
  return (
    <Frame
      subject={titleOf(channel)}
      preheader={`${channel} no longer accepts the address that you saved.`}
      heading={titleOf(channel)}
      footer={`You get this mail because your messages in ${channel} could not be sent.`}
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        On {formatDateTime(pausedAt)} {channel} answered that the address you saved no longer exists. We have
        stopped sending to it. Signals in the portal and over the API are not affected.
      </Paragraph>
      <Paragraph>To continue, save a new address in the portal under Delivery.</Paragraph>
      <ActionButton href={links.webhooks}>Open Delivery</ActionButton>
    </Frame>
  );
}

export const previewProps: ChannelPausedProps = {
  name: "Ada Lovelace",
  channel: "Discord",
  pausedAt: "2026-11-22T09:30:00Z",
  links: PREVIEW_LINKS,
};
