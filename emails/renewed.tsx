import {
  type AccessEnd,
  accessRows,
  countWithNoun,
  formatDateTime,
  formatMoney,
  formatPlanName,
  type PlansUntil,
} from "./format";
import { ActionButton, Frame, Greeting, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { LATE_PAYMENT, LATE_PAYMENT_PREHEADER, LatePaymentStep } from "./late-payment";
import { ChatStep, EaStep } from "./next-step";
import { PREVIEW_LINKS } from "./preview-links";
import type { SignalDelivery } from "./signal-delivery";

export interface RenewedProps extends AccessEnd {
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
  /** Whether the key had expired and works again. */
  revived: boolean;
  /** Set if the signals of the plan now arrive in another way: by a trading client, or in these chats. */
  newWay?: "ea" | SignalDelivery["chats"] | undefined;
  /** Whether the end of access had passed when the payment arrived. */
  isLate?: boolean | undefined;
  links: MailLinks;
}

export function subject({ revived, isLate = false }: Pick<RenewedProps, "revived" | "isLate">): string {
  if (isLate) return LATE_PAYMENT;
  return revived ? "Your access is open again" : "Your access is renewed";
}

/**
 * Sent when another payment extended access, with what it bought and the plans in force until the new end of access. Also
 * sent for a payment that arrived after this end.
 */
export function Message(props: RenewedProps) {
  const { name, bought, amount, currency, paidAt, expiresAt, revived, newWay, isLate = false, links } = props;
  return (
    <Frame
      subject={subject(props)}
      preheader={isLate ? LATE_PAYMENT_PREHEADER : "Your payment arrived. Your key stays the same."}
      heading={subject(props)}
      footer="You get this mail because a payment for access with your address arrived. If you did not make it, contact the seller."
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        {isLate && expiresAt !== null
          ? `Your payment arrived late. Your access, with the time that it paid for, ended on ${formatDateTime(expiresAt)}.`
          : `Your payment arrived. Your key ${revived ? "works again" : "stays the same"}.${newWay === undefined ? " You do not need to change anything." : ""}`}
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
          ...(isLate ? [] : accessRows(props)),
        ]}
      />
      <Next newWay={newWay} isLate={isLate} links={links} />
    </Frame>
  );
}

function Next({ newWay, isLate, links }: Pick<RenewedProps, "newWay" | "links"> & { isLate: boolean }) {
  if (isLate) return <LatePaymentStep links={links} />;
  if (newWay === undefined) return <ActionButton href={links.portal}>Open the portal</ActionButton>;
  return newWay === "ea" ? <EaStep links={links} /> : <ChatStep chats={newWay} links={links} />;
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
