import type { ReactNode } from "react";
import { buttonClass, LinkButton } from "@/app/_components/button";
import { classNames } from "@/app/_components/class-names";
import { paths } from "@/lib/paths";

/** The top of the landing page: the offer, the next step, and the result so far. */
export function Hero({
  instruments,
  platforms,
  shopUrl,
  simulated,
  recordShown,
  result,
}: {
  /** Symbols and timeframes that have a model in use, such as `EURUSD, XAUUSD on H1, H4`; null without any. */
  instruments: string | null;
  /** Where signals are delivered, such as `MetaTrader 4 and 5, or any program that speaks HTTP`. */
  platforms: string;
  shopUrl: string | null;
  simulated: boolean;
  /** Whether the record is public; if not, the page does not link to it. */
  recordShown: boolean;
  /** The card with the results so far; null before the first resolved trade. */
  result: ReactNode;
}) {
  return (
    <div
      className={classNames(
        "mx-auto max-w-6xl px-4 pt-8 pb-10 sm:px-6 sm:pt-12",
        result !== null && "grid items-center gap-x-14 gap-y-10 lg:grid-cols-[1fr_31rem]",
      )}
    >
      <div className="min-w-0">
        <h1
          className={classNames(
            "text-4xl font-semibold tracking-[-0.035em]",
            result === null ? "max-w-[18ch]" : "max-w-[13ch]",
          )}
        >
          {recordShown ? "Signals your EA follows, and you can check." : "Signals your EA follows."}
        </h1>
        <p className="mt-5 max-w-[54ch] text-lg text-muted">
          Each time a candle closes you get BUY, SELL or NO TRADE with the probability of each, in {platforms}
          .{recordShown && " The outcome of every signal is public."}
        </p>
        {instruments && <p className="mt-4 max-w-[54ch] text-sm break-words text-muted">{instruments}</p>}
        <div className="mt-7 flex flex-wrap items-center gap-3">
          <NextSteps shopUrl={shopUrl} simulated={simulated} />
        </div>
      </div>
      {result}
    </div>
  );
}

/** Buttons for the plans (if there is a shop), a demo key (on the simulated market), or else the documentation. */
function NextSteps({ shopUrl, simulated }: { shopUrl: string | null; simulated: boolean }) {
  return (
    <>
      {shopUrl !== null && (
        <LinkButton href={paths.plans()} variant="primary" size="large">
          See plans and prices
        </LinkButton>
      )}
      {simulated && <TryDemo variant={shopUrl === null ? "primary" : "secondary"} size="large" />}
      {shopUrl === null && simulated && (
        <LinkButton href={paths.plans()} size="large">
          See the plans
        </LinkButton>
      )}
      {shopUrl === null && !simulated && (
        <LinkButton href={paths.docs()} variant="primary" size="large">
          Start in five minutes
        </LinkButton>
      )}
    </>
  );
}

/** A button that creates a demo key for the simulated market. */
export function TryDemo({
  variant,
  size,
  label = "Try it now with a demo key",
}: {
  variant: "primary" | "secondary";
  size: "medium" | "large";
  label?: string;
}) {
  return (
    <form method="post" action={paths.tryDemo()}>
      <button type="submit" className={classNames(buttonClass(variant, size), size === "medium" && "w-full")}>
        {label}
      </button>
    </form>
  );
}
