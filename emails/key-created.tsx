import {
  type AccessEnd,
  accessRows,
  countWithNoun,
  endRows,
  formatDateTime,
  formatPlanName,
  type PlansUntil,
} from "./format";
import {
  ActionButton,
  Frame,
  Greeting,
  InlineCode,
  KeyBlock,
  type MailLinks,
  NameValueTable,
  Paragraph,
  Steps,
} from "./frame";
import { LATE_PAYMENT, LATE_PAYMENT_PREHEADER, LatePaymentStep } from "./late-payment";
import { ChatStep } from "./next-step";
import { PREVIEW_LINKS } from "./preview-links";
import type { SignalDelivery } from "./signal-delivery";

export interface KeyCreatedProps extends AccessEnd {
  name: string | null;
  apiKey: string;
  planTier: string;
  /** The plans in order, if there are several. */
  stretches?: readonly PlansUntil[] | undefined;
  delivery: SignalDelivery;
  /** Delay of a try-out key in candles; null: not a try-out. */
  delayCandles: number | null;
  /** Whether the end of access had passed when the payment arrived. */
  isLate?: boolean | undefined;
  links: MailLinks;
}

export function subject({
  delayCandles,
  isLate = false,
}: Pick<KeyCreatedProps, "delayCandles" | "isLate">): string {
  if (isLate) return LATE_PAYMENT;
  return delayCandles === null ? "Your API key is ready" : "Your try-out key is ready";
}

/**
 * Sent when a payment, the operator or a try-out opened access, with the key and the setup. Also sent for a payment that
 * arrived after the end of what it bought: the key works once access is extended.
 */
export function Message(props: KeyCreatedProps) {
  const {
    name,
    apiKey,
    planTier,
    expiresAt,
    paidUntil,
    delivery,
    delayCandles,
    isLate = false,
    links,
  } = props;
  const { hasEa, chats } = delivery;
  const title = subject(props);
  const paidEnd = paidUntil ?? expiresAt;
  return (
    <Frame
      subject={title}
      preheader={isLate ? LATE_PAYMENT_PREHEADER : `Your access is open. ${firstStep(delivery)}`}
      heading={title}
      footer={
        isLate
          ? "You get this mail because a payment for access with your address arrived. If you did not make it, contact the seller."
          : `You get this mail because access was opened for your address. If you did not ${delayCandles === null ? "buy" : "request"} it, contact the seller.`
      }
      links={links}
    >
      <Greeting name={name} />
      {isLate && paidEnd !== null ? (
        <>
          <Paragraph>
            Your payment arrived late: the time that it paid for ended on {formatDateTime(paidEnd)}. Your
            access is not open.
          </Paragraph>
          <LatePaymentStep links={links} />
          <Paragraph>This is the key that works then:</Paragraph>
        </>
      ) : (
        <Paragraph>Your access is open. This is your key:</Paragraph>
      )}
      <KeyBlock label="API key" value={apiKey} />
      {delayCandles !== null && (
        <Paragraph>
          This is a try-out key: each signal arrives {countWithNoun(delayCandles, "candle")} late. Most have
          expired by then{hasEa && ", and your EA does not trade expired signals"}. After you buy with this
          address, the same key gets signals at once.{hasEa && " You do not need to change your EA."}
        </Paragraph>
      )}
      <Paragraph>
        Keep it like a password. After this mail we keep only its fingerprint and its first and last four
        characters, and cannot show it again. {!isLate && "If you lose it, sign in and rotate it."}
      </Paragraph>
      <NameValueTable
        rows={
          isLate
            ? [
                ["Plan", formatPlanName(planTier)],
                ["Paid until", paidEnd === null ? "no end date" : formatDateTime(paidEnd)],
              ]
            : delayCandles === null
              ? accessRows(props)
              : [["Plan", `${formatPlanName(planTier)}, try-out`], ...endRows(props)]
        }
      />
      {!isLate && (hasEa ? <Connecting links={links} /> : <ChatStep chats={chats} links={links} />)}
    </Frame>
  );
}

/** The first step with a new key, for the preview text. */
function firstStep({ hasEa, chats }: SignalDelivery): string {
  if (hasEa) return "Two settings connect your trading client.";
  if (chats.length === 0) return "The signals are in the portal.";
  return chats.includes("Telegram")
    ? "Link your Telegram chat to get the signals."
    : "Choose where your signals are sent.";
}

function Connecting({ links }: { links: MailLinks }) {
  return (
    <>
      <Paragraph>
        The page Setup in the portal has the EA to download and shows every step for MetaTrader. In short:
      </Paragraph>
      <Steps
        steps={[
          {
            id: "allow",
            text: (
              <>
                Open Tools, Options, Expert Advisors and add <InlineCode>{links.home}</InlineCode> to the
                addresses allowed for WebRequest.
              </>
            ),
          },
          {
            id: "download",
            text: "Download the EA from the page Setup, compile it in MetaEditor and drag it onto a chart.",
          },
          {
            id: "inputs",
            text: (
              <>
                In the inputs of the EA set <InlineCode>InpApiUrl</InlineCode> to that address and{" "}
                <InlineCode>InpApiKey</InlineCode> to the key above.
              </>
            ),
          },
          {
            id: "check",
            text: "Switch on Algo Trading. Within a minute the portal shows the EA as online.",
          },
        ]}
      />
      <ActionButton href={links.setup}>Set up your EA in four steps</ActionButton>
    </>
  );
}

export const previewProps: KeyCreatedProps = {
  name: "Ada Lovelace",
  apiKey: "00000000-0000-4000-8000-000000000000",
  planTier: "pro",
  expiresAt: "2026-12-25T10:00:00Z",
  delivery: { hasEa: true, chats: ["Telegram", "Discord"] },
  delayCandles: null,
  links: PREVIEW_LINKS,
};
