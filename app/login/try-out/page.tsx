import { Button, LinkButton } from "@/app/_components/button";
import { countWithNoun } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { OutboxNotice } from "@/app/_components/outbox-notice";
import { TryOutForm } from "@/app/_components/try-out-form";
import { emailOfTryOutLink, TRY_OUT_LINK_HOURS } from "@/lib/access/try-outs";
import { paths } from "@/lib/paths";
import { type TryOutOffer, tryOutOffer } from "@/lib/settings/try-out-offer";

export const metadata = { title: "Try-out key" };

type Params = Promise<{ token?: string | string[]; said?: string | string[] }>;

/**
 * Messages after each step. A request has the same message for every address, so that it does not reveal known
 * addresses.
 */
const SAID: Record<string, { tone: "info" | "warn"; title: string; text: string }> = {
  sent: {
    tone: "info",
    title: "Check your e-mail",
    text: `If this address can have a try-out, we have sent it a link that works for ${TRY_OUT_LINK_HOURS} hours. If the address already has a key, the mail contains a sign-in link instead. No mail after two minutes? Check your spam folder.`,
  },
  mailed: {
    tone: "info",
    title: "Your key is on its way",
    text: "The mail also contains the steps to connect your trading client.",
  },
  known: {
    tone: "warn",
    title: "This address has already had a try-out",
    text: "Each address gets one try-out, and we have mailed its key. If the key is still valid, sign in with this address to rotate it.",
  },
  invalid: {
    tone: "warn",
    title: "This link does not work",
    text: `It is incomplete or older than ${TRY_OUT_LINK_HOURS} hours. Request a new one below.`,
  },
  too_many: {
    tone: "warn",
    title: "Too many requests",
    text: "Too many links were requested. Try again in an hour.",
  },
};

/** Requests a try-out key, and confirms the mailed link. A button creates the key, because mail scanners open links. */
export default async function TryOutPage({ searchParams }: { searchParams: Params }) {
  const { token: given, said } = await searchParams;
  const offer = await tryOutOffer();
  if (offer === null) return <NoOffer />;
  const token = typeof given === "string" ? given : null;
  const isGood = token !== null && emailOfTryOutLink(token, new Date()) !== null;
  const word = token !== null && !isGood ? "invalid" : said;
  const result = typeof word === "string" && Object.hasOwn(SAID, word) ? SAID[word] : undefined;

  return (
    <>
      <h1 className="text-2xl">Try-out key</h1>
      <p className="mt-2 text-muted">{offerWords(offer)}</p>
      {result && (
        <div className="mt-6">
          <Notice tone={result.tone} title={result.title} announce>
            {result.text}
          </Notice>
        </div>
      )}
      {(word === "sent" || word === "mailed") && (
        <div className="mt-3">
          <OutboxNotice />
        </div>
      )}
      <div className="mt-6">
        {isGood ? (
          <form method="post" action={paths.confirmTryOut()}>
            <input type="hidden" name="token" value={token} />
            <Button type="submit" variant="primary" size="large" className="w-full">
              Get my key
            </Button>
            <p className="mt-4 text-sm text-muted">
              Did not request this? Close the page. Without the button, no key is created.
            </p>
          </form>
        ) : word === "sent" || word === "mailed" || word === "known" ? (
          <LinkButton href={paths.login()}>Go to sign-in</LinkButton>
        ) : (
          <TryOutForm
            error={said === "email_malformed" ? "This is not a valid e-mail address." : undefined}
          />
        )}
      </div>
      <p className="mt-6 text-sm text-muted">
        <a href={paths.docs("try-out")} className="link">
          What a try-out includes
        </a>
      </p>
    </>
  );
}

const offerWords = ({ planTitle, delayCandles, days }: TryOutOffer) =>
  `The plan ${planTitle}, free for ${countWithNoun(days, "day")}, once per address. Each signal arrives ${countWithNoun(delayCandles, "candle")} late.`;

function NoOffer() {
  return (
    <>
      <h1 className="text-2xl">Try-out key</h1>
      <p className="mt-2 text-muted">Try-out keys are not available at the moment.</p>
      <div className="mt-6">
        <LinkButton href={paths.plans()}>See the plans</LinkButton>
      </div>
    </>
  );
}
