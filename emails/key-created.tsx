import { accessRows, countWithNoun, formatDateTime, formatPlanName, type PlansUntil } from "./format";
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
import { PREVIEW_LINKS } from "./preview-links";

export interface KeyCreatedProps {
  name: string | null;
  apiKey: string;
  planTier: string;
  /** ISO 8601; null: access does not end. */
  expiresAt: string | null;
  /** The plans in order, if there are several. */
  stretches?: readonly PlansUntil[] | undefined;
  /** Whether subscribers of this plan read signals in Telegram and need not set up MetaTrader. */
  isForChat: boolean;
  /** Delay of a try-out key in candles; null: not a try-out. */
  delayCandles: number | null;
  links: MailLinks;
}

export const subject = ({ delayCandles }: Pick<KeyCreatedProps, "delayCandles">) =>
  delayCandles === null ? "Your API key is ready" : "Your try-out key is ready";

/** Sent when a payment, the operator or a try-out opened access, with the key and the setup. */
export function Message({
  name,
  apiKey,
  planTier,
  expiresAt,
  stretches,
  isForChat,
  delayCandles,
  links,
}: KeyCreatedProps) {
  const title = subject({ delayCandles });
  return (
    <Frame
      subject={title}
      preheader={
        isForChat
          ? "Your access is open. Link your Telegram chat to get the signals."
          : "Your access is open. Two settings connect your trading client."
      }
      heading={title}
      footer={`You get this mail because access was opened for your address. If you did not ${delayCandles === null ? "buy" : "request"} it, contact the seller.`}
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>Your access is open. This is your key:</Paragraph>
      <KeyBlock label="API key" value={apiKey} />
      {delayCandles !== null && (
        <Paragraph>
          This is a try-out key: each signal arrives {countWithNoun(delayCandles, "candle")} late. Most have
          expired by then, and your EA does not trade expired signals. After you buy with this address, the
          same key gets signals at once. You do not need to change your EA.
        </Paragraph>
      )}
      <Paragraph>
        Keep it like a password. After this mail we keep only its fingerprint and its first and last four
        characters, and cannot show it again. If you lose it, sign in and rotate it.
      </Paragraph>
      <NameValueTable
        rows={
          delayCandles === null
            ? accessRows({ planTier, expiresAt, stretches })
            : [
                ["Plan", `${formatPlanName(planTier)}, try-out`],
                ["Access until", expiresAt === null ? "no end date" : formatDateTime(expiresAt)],
              ]
        }
      />
      {isForChat ? (
        <>
          <Paragraph>
            Signals come to you in Telegram. Sign in, choose Link Telegram on the page Delivery, and press
            Start in the chat that opens. You need the key only for signing in, or for your own programs.
          </Paragraph>
          <ActionButton href={links.webhooks}>Link Telegram</ActionButton>
        </>
      ) : (
        <Connecting links={links} />
      )}
    </Frame>
  );
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
  isForChat: false,
  delayCandles: null,
  links: PREVIEW_LINKS,
};
