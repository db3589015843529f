import { type AccessEnd, endRows, formatDateTime, formatPlanName } from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";
import { chatNames, type SignalDelivery } from "./signal-delivery";

export interface PlanEndingProps extends AccessEnd {
  name: string | null;
  planTier: string;
  nextPlan: string;
  changesAt: string;
  /** Set if the signals of the next plan arrive in another way: by a trading client, or in these chats. */
  nextWay?: "ea" | SignalDelivery["chats"] | undefined;
  links: MailLinks;
}

export const subject = ({ planTier, nextPlan }: PlanEndingProps) =>
  `Your ${formatPlanName(planTier)} days end soon, then ${formatPlanName(nextPlan)} begins`;

/** Sent before the days of a plan end and those of a lower plan begin. */
export function Message(props: PlanEndingProps) {
  const { name, planTier, nextPlan, changesAt, nextWay, links } = props;
  return (
    <Frame
      subject={subject(props)}
      preheader="Your key stays the same. Only the plan changes."
      heading={subject(props)}
      footer="You get this reminder because your plan is about to change."
      declinable
      links={links}
    >
      <Greeting name={name} />
      <NameValueTable
        rows={[
          [`${formatPlanName(planTier)} until`, formatDateTime(changesAt)],
          ["Then", formatPlanName(nextPlan)],
          ...endRows(props),
        ]}
      />
      <Paragraph>
        You also paid for {formatPlanName(nextPlan)}. Those days start when your {formatPlanName(planTier)}{" "}
        days are used up. Your key stays the same.
      </Paragraph>
      {nextWay !== undefined && (
        <Paragraph>
          {nextWay === "ea"
            ? `The plan ${formatPlanName(nextPlan)} is for a trading client. If yours is not connected yet, the page Setup in the portal shows every step.`
            : `The plan ${formatPlanName(nextPlan)} sends its signals to ${chatNames({ chats: nextWay })}. If your chat is not set up yet, do it in the portal under Delivery.`}
        </Paragraph>
      )}
      <Paragraph>
        Another payment for {formatPlanName(planTier)} adds {formatPlanName(planTier)} days. You lose no day
        that you paid for.
      </Paragraph>
      {links.shop ? (
        <ActionButton href={links.shop}>Renew</ActionButton>
      ) : (
        <ActionButton href={links.portal}>Open the portal</ActionButton>
      )}
    </Frame>
  );
}

export const previewProps: PlanEndingProps = {
  name: "Ada Lovelace",
  planTier: "pro",
  nextPlan: "basic",
  changesAt: "2026-11-24T09:30:00Z",
  expiresAt: "2026-12-25T09:30:00Z",
  links: PREVIEW_LINKS,
};
