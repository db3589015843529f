import { type AccessEnd, accessRows, countWithNoun } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface ExpiryReminderProps extends AccessEnd {
  name: string | null;
  planTier: string;
  daysLeft: number;
  /** Whether the plan is for a trading client, or one has called. */
  hasEa: boolean;
  links: MailLinks;
}

export const subject = ({ daysLeft }: ExpiryReminderProps) =>
  `Your access ends in ${countWithNoun(daysLeft, "day")}`;

/** Sent some days before access ends. */
export function Message(props: ExpiryReminderProps) {
  const { name, planTier, expiresAt, paidUntil, hasEa, links } = props;
  return (
    <Frame
      subject={subject(props)}
      preheader="What happens then, and how to continue without a gap."
      heading={subject(props)}
      footer="You get this reminder because your access is about to end."
      declinable
      links={links}
    >
      <Greeting name={name} />
      <NameValueTable rows={accessRows({ planTier, expiresAt, paidUntil })} />
      <Paragraph>
        If you renew before then, your access is extended and your key stays the same. You do not need to
        change anything.
      </Paragraph>
      <Paragraph>
        If you do not, signals stop at that moment.
        {hasEa &&
          " For three more days your client can still report closed positions, so that your results are complete."}
      </Paragraph>
      {links.shop ? (
        <ActionButton href={links.shop}>Renew</ActionButton>
      ) : (
        <ActionButton href={links.portal}>Open the portal</ActionButton>
      )}
    </Frame>
  );
}

export const previewProps: ExpiryReminderProps = {
  name: "Ada Lovelace",
  planTier: "basic",
  expiresAt: "2026-11-24T09:30:00Z",
  daysLeft: 3,
  hasEa: true,
  links: PREVIEW_LINKS,
};
