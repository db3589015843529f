import {
  accessRows,
  countWithNoun,
  formatDateTime,
  formatMoney,
  formatPlanName,
  type PlansUntil,
} from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface RenewedProps {
  name: string | null;
  planTier: string;
  /** The plan and the days that the payment bought; missing in mails that a former release queued. */
  bought?: { planTier: string; days: number };
  /** The plans in order, if there are several. */
  stretches?: readonly PlansUntil[];
  /** Decimal text; null if the payment platform sent no amount. */
  amount: string | null;
  currency: string | null;
  paidAt: string;
  /** ISO 8601; null: access does not end. */
  expiresAt: string | null;
  /** ISO 8601: end of the paid time, if days of grace follow it. */
  paidUntil?: string | null;
  /** Whether the key had expired and works again. */
  revived: boolean;
  links: MailLinks;
}

export const subject = ({ revived }: RenewedProps) =>
  revived ? "Your access is open again" : "Your access is renewed";

/** Sent when another payment extended access, with what it bought and the plans in force until the new end of access. */
export function Message(props: RenewedProps) {
  const { name, bought, amount, currency, paidAt, revived, links } = props;
  return (
    <Frame
      subject={subject(props)}
      preheader="Your payment arrived. Your key stays the same."
      heading={subject(props)}
      footer="You get this mail because a payment for access with your address arrived. If you did not make it, contact the seller."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        Your payment arrived.{" "}
        {revived
          ? "Your key works again. You do not need to change anything in your trading client."
          : "Your key stays the same. You do not need to change anything in your trading client."}
      </Paragraph>
      <NameValueTable
        rows={[
          ...(amount === null
            ? []
            : ([["Paid", formatMoney(amount, currency)]] satisfies [string, string][])),
          ["Paid on", formatDateTime(paidAt)],
          ...(bought
            ? ([
                ["Bought", `${formatPlanName(bought.planTier)}, ${countWithNoun(bought.days, "day")}`],
              ] satisfies [string, string][])
            : []),
          ...accessRows(props),
        ]}
      />
      <ActionButton href={links.portal}>Open the portal</ActionButton>
    </Frame>
  );
}

export const previewProps: RenewedProps = {
  name: "Ada Lovelace",
  planTier: "pro",
  bought: { planTier: "pro", days: 31 },
  amount: "49.9",
  currency: "EUR",
  paidAt: "2026-11-21T09:30:00Z",
  expiresAt: "2026-12-25T10:00:00Z",
  paidUntil: "2026-12-22T10:00:00Z",
  revived: false,
  links: PREVIEW_LINKS,
};
