import type { ReactNode } from "react";
import { LinkButton } from "@/app/_components/button";
import { classNames } from "@/app/_components/class-names";
import { countWithNoun, formatList, formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import type { DayOfCalls } from "@/lib/subscribers/day-of-calls";
import type { EaStateName } from "@/lib/vocabulary";
import { ClientActivityStrip } from "./client-activity-strip";
import { EaPill, LastEaCallAge } from "./live";
import { PortalTime } from "./portal-time";

/** Results of `n` positions: the sum in R over the `nWithR` for which it is known, and in money over `nWithMoney`. */
export interface PositionResultSum {
  n: number;
  r: number;
  nWithR: number;
  money: number;
  nWithMoney: number;
  /** The reported currencies of the positions. With several, no money is added. */
  currencies: readonly string[];
}

interface Results {
  today: PositionResultSum;
  /** `nAll` counts all open positions; the sums cover only the newest `n` of them. */
  open: PositionResultSum & { nAll: number };
  /** Close time of the oldest candle whose price is used; null if no price is known. */
  pricesAt: Date | null;
}

/** State of the EA or the chat, today's result, and the open result at the newest price. */
export function HeroCard({
  source,
  results,
  clock,
  now,
}: {
  source: ReactNode;
  /** null: no EA reports results. */
  results: Results | null;
  clock: WallClock;
  now: Date;
}) {
  return (
    <section
      aria-label="Now"
      className={classNames(
        "grid gap-px overflow-hidden rounded-lg border bg-line",
        results && "lg:grid-cols-[1.3fr_1fr_1fr]",
      )}
    >
      <div className="bg-raised px-4 py-5 sm:px-6">{source}</div>
      {results && <ResultsNow {...results} clock={clock} now={now} />}
    </section>
  );
}

function ResultsNow({ today, open, pricesAt, clock, now }: Results & { clock: WallClock; now: Date }) {
  return (
    <>
      <Result
        title="Closed today"
        sum={today}
        empty={`No positions closed today (${clockOffsetLabel(clock, now)}).`}
        note={
          today.n > 0 ? `${countWithNoun(today.n, "position")}, ${clockOffsetLabel(clock, now)}` : undefined
        }
      />
      <Result
        title="Open now"
        sum={open}
        empty="No open positions."
        note={
          open.n > 0 ? (
            <>
              <a href={paths.portalExecutionList({ state: "open" })} className="link">
                {open.nAll > open.n
                  ? `the newest ${formatNumber(open.n)} of ${formatNumber(open.nAll)}`
                  : `${formatNumber(open.nAll)} open now`}
              </a>
              {pricesAt && (
                <>
                  , oldest price <PortalTime at={pricesAt} clock={clock} now={now} />
                </>
              )}
            </>
          ) : undefined
        }
      />
    </>
  );
}

/** The trading client: its state and its calls of the last day. */
export function EaStatusPanel({
  status,
  seenAt,
  calls,
  clock,
}: {
  status: EaStateName;
  seenAt: Date | null;
  calls: DayOfCalls;
  clock: WallClock;
}) {
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="text-base">Your EA</h2>
        <EaPill status={status} />
      </div>
      {seenAt === null ? (
        <>
          <p className="mt-2 text-sm text-muted">
            It has not called with your key yet. Four steps in MetaTrader, about five minutes
            <span className="noscript:hidden">; this page turns green by itself</span>.
          </p>
          <div className="mt-4">
            <LinkButton href={paths.portalSetup()} variant="primary">
              Connect your EA
            </LinkButton>
          </div>
        </>
      ) : (
        <>
          <p className="mt-1 mb-4 text-sm text-muted">
            <LastEaCallAge seenAt={seenAt} />
          </p>
          <ClientActivityStrip day={calls} clock={clock} />
        </>
      )}
    </>
  );
}

/** The state of the Telegram chat, for plans without an EA. `isOffered`: the operator has set up a bot. */
export function TelegramStatusPanel({
  chat,
  isOffered,
}: {
  chat: { name: string | null } | null;
  isOffered: boolean;
}) {
  const canLink = chat === null && isOffered;
  return (
    <>
      <h2 className="text-base">Signals in Telegram</h2>
      <p className="mt-2 text-sm text-muted">
        {canLink
          ? "No chat is linked yet. Link one, and each signal of your plan is sent to it."
          : chat === null
            ? "The operator has not set up a Telegram bot yet, so no chat can be linked."
            : `Sent to ${chat.name ?? "your chat"}. You choose slots and quiet hours in the chat.`}
      </p>
      <div className="mt-4">
        <LinkButton href={paths.portalDelivery()} variant={canLink ? "primary" : "secondary"}>
          {canLink ? "Link Telegram" : "Delivery"}
        </LinkButton>
      </div>
    </>
  );
}

function Result({
  title,
  sum,
  empty,
  note,
}: {
  title: string;
  sum: PositionResultSum;
  empty: string;
  note: ReactNode;
}) {
  const inMoney = sum.nWithMoney > 0;
  const inR = sum.nWithR > 0;
  const coverage = inR && sum.nWithR < sum.n && (
    <span className="text-faint"> of {formatNumber(sum.nWithR)} with a known signal</span>
  );
  return (
    <div className="bg-raised px-4 py-5 sm:px-6">
      <h2 className="text-base">{title}</h2>
      {sum.n === 0 ? (
        <p className="mt-2 text-sm text-muted">{empty}</p>
      ) : (
        <>
          <p className="mt-2 text-3xl font-semibold tracking-tight">
            {inMoney ? (
              <MoneyText value={sum.money} unit={sum.currencies[0]} />
            ) : (
              <MoneyText value={inR ? sum.r : null} unit={inR ? "R" : undefined} />
            )}
          </p>
          {inMoney && inR && (
            <p className="mt-1 text-sm">
              <MoneyText value={sum.r} unit="R" mark={false} />
              {coverage}
            </p>
          )}
          {!inMoney && coverage && <p className="mt-1 text-sm">{coverage}</p>}
          {sum.currencies.length > 1 && (
            <p className="mt-1 text-sm text-muted">Amounts in {formatList(sum.currencies)} are not added.</p>
          )}
          {note && <p className="mt-2 text-xs text-faint">{note}</p>}
        </>
      )}
    </div>
  );
}
