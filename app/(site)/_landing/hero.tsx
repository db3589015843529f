import { buttonClass, LinkButton } from "@/app/_components/button";
import { paths } from "@/lib/paths";
import type { FinishedSignal } from "./finished-signal";
import { ResolvedSignal } from "./resolved-signal";

/** The offer in short: for whom it is, on what, and the one thing to do next. */
export function Hero({
  instruments,
  shopUrl,
  simulated,
  finished,
  recordShown,
}: {
  /** On what there are signals, in words; null where nothing is known of it. */
  instruments: string | null;
  shopUrl: string | null;
  simulated: boolean;
  finished: FinishedSignal | null;
  /** Whether the record is public: otherwise nothing is said of checking it. */
  recordShown: boolean;
}) {
  return (
    <div className="mx-auto grid max-w-6xl items-center gap-x-16 gap-y-10 px-4 pt-10 pb-10 sm:px-6 sm:pt-14 lg:grid-cols-[1fr_25rem]">
      <div>
        <h1 className="max-w-[13ch] text-4xl font-semibold tracking-[-0.035em]">
          {recordShown ? "Signals your EA follows, and you can check." : "Signals your EA follows."}
        </h1>
        <p className="mt-6 max-w-[54ch] text-lg text-muted">
          For traders who run an EA in MetaTrader 5, and for any program that speaks HTTP. Each time a candle
          closes you get buy, sell or stay out, with the probability of each.
          {recordShown && " What came of them is public."}
        </p>
        {instruments && <p className="mt-4 max-w-[54ch] text-sm text-muted">{instruments}</p>}
        <div className="mt-8 flex flex-wrap items-center gap-3">
          <NextStep shopUrl={shopUrl} simulated={simulated} />
          {recordShown && (
            <LinkButton href={paths.record()} size="large">
              See the record
            </LinkButton>
          )}
        </div>
      </div>
      {finished && <ResolvedSignal finished={finished} />}
    </div>
  );
}

/** The shop where there is one; a demo key in the simulated market; else how to begin. */
function NextStep({ shopUrl, simulated }: { shopUrl: string | null; simulated: boolean }) {
  if (shopUrl !== null)
    return (
      <LinkButton href={shopUrl} variant="primary" size="large">
        See prices and subscribe
      </LinkButton>
    );
  if (simulated)
    return (
      <form method="post" action={paths.tryDemo()}>
        <button type="submit" className={buttonClass("primary", "large")}>
          Try it now with a demo key
        </button>
      </form>
    );
  return (
    <LinkButton href={paths.docs()} variant="primary" size="large">
      Start in five minutes
    </LinkButton>
  );
}
