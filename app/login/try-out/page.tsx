import { Button, LinkButton } from "@/app/_components/button";
import { counted } from "@/app/_components/figures";
import { Link } from "@/app/_components/link";
import { Notice } from "@/app/_components/notice";
import { TryOutForm } from "@/app/_components/try-out-form";
import { readTryOutLink, TRY_OUT_LINK_HOURS } from "@/lib/access/try-outs";
import { paths } from "@/lib/paths";
import { type TryOutOffer, tryOutOffer } from "@/lib/settings/try-out-offer";

export const metadata = { title: "Try-out key" };

type Params = Promise<{ token?: string | string[]; said?: string | string[] }>;

/** How the steps went, in words. Of a request it is the same for every address. */
const SAID: Record<string, { tone: "info" | "warn"; title: string; text: string }> = {
  sent: {
    tone: "info",
    title: "Check your e-mail",
    text: `If this address can have a try-out, a link is on its way. It works for ${TRY_OUT_LINK_HOURS} hours. If the address has a key already, the mail signs you in. Nothing after two minutes? Check your spam folder.`,
  },
  mailed: {
    tone: "info",
    title: "Your key is on its way",
    text: "It comes by mail, with the steps to connect your trading client.",
  },
  known: {
    tone: "warn",
    title: "This address had its try-out",
    text: "Each address gets one, and its key was mailed. If it still works, sign in with this address: you can rotate it there.",
  },
  worthless: {
    tone: "warn",
    title: "This link does not work",
    text: `It may have been cut off, or it is older than ${TRY_OUT_LINK_HOURS} hours. Ask for another below.`,
  },
  too_many: {
    tone: "warn",
    title: "Too many requests",
    text: "Too many links were requested from this network. Wait an hour.",
  },
};

/** Asking for a try-out key, and the page of the mailed link: only its button makes the key, so that mail scanners cannot. */
export default async function TryOutPage({ searchParams }: { searchParams: Params }) {
  const { token: given, said } = await searchParams;
  const offer = await tryOutOffer();
  if (offer === null) return <NoOffer />;
  const token = typeof given === "string" ? given : null;
  const isGood = token !== null && readTryOutLink(token, new Date()) !== null;
  const word = token !== null && !isGood ? "worthless" : said;
  const told = typeof word === "string" && Object.hasOwn(SAID, word) ? SAID[word] : undefined;

  return (
    <>
      <h1 className="text-2xl">Try-out key</h1>
      <p className="mt-2 text-muted">{offerWords(offer)}</p>
      {told && (
        <div className="mt-6">
          <Notice tone={told.tone} title={told.title} announce>
            {told.text}
          </Notice>
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
              Did not request this? Close the page: nothing happens without this button.
            </p>
          </form>
        ) : word === "sent" || word === "mailed" || word === "known" ? (
          <LinkButton href={paths.login()}>Go to sign-in</LinkButton>
        ) : (
          <TryOutForm error={said === "email_malformed" ? "This is not an e-mail address." : undefined} />
        )}
      </div>
      <p className="mt-6 text-sm text-muted">
        <Link href={paths.docs("try-out")} className="link">
          What a try-out key can do
        </Link>
      </p>
    </>
  );
}

/** The offer in two sentences. */
const offerWords = ({ planTitle, delayCandles, days }: TryOutOffer) =>
  `The plan ${planTitle} for ${counted(days, "day")}, free, once for each address. Each signal comes ${counted(delayCandles, "candle")} late.`;

function NoOffer() {
  return (
    <>
      <h1 className="text-2xl">Try-out key</h1>
      <p className="mt-2 text-muted">No try-out keys are given at present.</p>
      <div className="mt-6">
        <LinkButton href={paths.plans()}>See the plans</LinkButton>
      </div>
    </>
  );
}
