/**
 * Parts of a portal page that change while it is open. The server renders their present state; `_browser/portal.ts`
 * updates them by their `data-live-*` attributes. Without JavaScript they do not change.
 */
import { CircleCheck, LoaderCircle } from "lucide-react";
import type { ReactNode } from "react";
import { Notice } from "@/app/_components/notice";
import { StatusPill } from "@/app/_components/status-pill";
import { formatRelative, formatSpan } from "@/app/_components/times";
import type { LiveState } from "@/lib/subscribers/live-state";
import { minutesBetween } from "@/lib/time";
import type { EaStateName } from "@/lib/vocabulary";

/** The state at the time of rendering, and the script that updates the page from then on. */
export function LiveScript({ state }: { state: LiveState }) {
  return (
    <>
      <span hidden data-live-own data-live-state={JSON.stringify(state)} />
      <script type="module" src={process.env.PORTAL_JS} />
    </>
  );
}

/** The versions of signals and executions and the EA state that a page shows. A page omits those that it does not show. */
export interface ShownVersions {
  signals?: number;
  executions?: number;
  ea?: EaStateName;
}

/** The page is fetched again when signals or executions are newer than these, or when the EA's state differs. */
export function RefreshWhenNews(shown: ShownVersions) {
  return <span hidden data-live-shows={JSON.stringify(shown)} />;
}

/** The state of the trading client; unknown while no updates arrive. */
export function EaPill({ status }: { status: EaStateName }) {
  return (
    <>
      <span data-live-late="no">
        <StatusPill state={status} />
      </span>
      <span data-live-late="yes" hidden>
        <StatusPill state="unknown" />
      </span>
    </>
  );
}

/** The age of the trading client's last call, updated while the page is open. */
export function LastEaCallAge({ seenAt }: { seenAt: Date | null }) {
  return (
    <>
      <span data-live-call="none" hidden={seenAt !== null}>
        No call yet
      </span>
      <span data-live-call="last" hidden={seenAt === null}>
        Last call <LiveTimeAgo at={seenAt} />
      </span>
    </>
  );
}

/** The age of an instant, updated while the page is open; empty if `at` is null. */
export function LiveTimeAgo({ at }: { at: Date | null }) {
  const now = new Date();
  return (
    <time data-live-age dateTime={at?.toISOString()} title={at?.toISOString()}>
      {at && formatRelative(at, now > at ? now : at)}
    </time>
  );
}

/**
 * A status line that turns green once the trading client has called after `since`, or without `since` while the client
 * is online.
 */
export function ConnectionCheck({
  state,
  since,
  waiting,
}: {
  state: LiveState;
  since?: string;
  waiting: string;
}) {
  const { status, lastSeenAt } = state.ea;
  const called = lastSeenAt !== null && (since === undefined ? status === "online" : lastSeenAt > since);
  return (
    <p
      role="status"
      data-live-check={called ? "called" : "waiting"}
      data-live-since={since}
      className="group/check flex min-h-14 items-center gap-3 rounded-lg border bg-sunken px-4 py-3 text-sm data-[live-check=called]:border-up/30 data-[live-check=called]:bg-up-soft"
    >
      <span className="hidden items-center gap-3 group-data-[live-check=called]/check:flex">
        <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-up" />
        <span>
          <strong className="font-semibold">Your EA is connected.</strong>{" "}
          {/* Screen readers would read the line again with every second of the age. */}
          <span aria-live="off" className="text-muted">
            <LastEaCallAge seenAt={lastSeenAt === null ? null : new Date(lastSeenAt)} />.
          </span>
        </span>
      </span>
      <span className="flex items-center gap-3 group-data-[live-check=called]/check:hidden">
        <LoaderCircle
          aria-hidden="true"
          className="size-5 shrink-0 text-faint motion-safe:animate-spin noscript:hidden"
        />
        <span className="text-muted">
          {waiting}.<span className="noscript:hidden"> This page updates by itself.</span>
        </span>
      </span>
    </p>
  );
}

interface SlotAgeProps {
  /** Age of the signal in open-market minutes at `countedAt`. */
  minutes: number;
  countedAt: Date;
  /** Above this age, in open-market minutes, the signal is stale. */
  staleAfterMinutes: number;
  /** The word after the age. */
  word: "old" | "ago";
}

/**
 * The age of a slot's newest signal, for a slot whose market is open. The browser updates it while the page is open,
 * and marks it as stale when it becomes too old.
 */
export function SlotAge({ minutes, countedAt, staleAfterMinutes, word }: SlotAgeProps) {
  return (
    <span
      data-live-market-age={minutes}
      data-live-counted-at={countedAt.toISOString()}
      data-live-stale-after={staleAfterMinutes}
      data-live-word={word}
    >
      <span>
        {formatSpan(minutes)} {word}
      </span>
      <span className="font-medium text-warn" hidden={minutes <= staleAfterMinutes}>
        {" "}
        · stale
      </span>
    </span>
  );
}

/** The remaining validity of a signal as a countdown. */
export function RemainingValidity({ until }: { until: Date }) {
  const minutes = minutesBetween(new Date(), until);
  return (
    <time
      data-live-until={minutes <= 0 ? "over" : minutes < 5 ? "soon" : ""}
      dateTime={until.toISOString()}
      title={`until ${until.toISOString()}`}
      className="data-[live-until=over]:font-medium data-[live-until=over]:text-warn data-[live-until=soon]:text-warn"
    >
      {minutes <= 0 ? "no longer valid" : `valid for ${formatSpan(minutes)}`}
    </time>
  );
}

/** Shows how updates arrive, such as “Live”, or the page's age once updates have stopped. Empty until the first update. */
export function LiveIndicator() {
  return (
    <span
      data-live-own
      data-live-mark="page"
      className="group/mark inline-flex items-center gap-1.5 text-xs text-faint"
    >
      <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
        <circle
          cx="4"
          cy="4"
          r="3.5"
          className="fill-none group-data-[live-mark=late]/mark:fill-warn group-data-[live-mark=lost]/mark:fill-warn group-data-[live-mark=polling]/mark:fill-up group-data-[live-mark=stream]/mark:fill-up"
        />
      </svg>
      <span />
    </span>
  );
}

/** A warning above the page that its content is old, shown while no updates arrive. */
export function OutdatedPageNotice(): ReactNode {
  return (
    <div data-live-own>
      <span role="status" className="sr-only" data-live-says />
      <div className="mb-6" data-live-late="yes" hidden>
        <Notice
          tone="warn"
          title={
            <>
              This page was updated <span data-live-silent-for /> ago
            </>
          }
        >
          The service cannot be reached. The page updates by itself as soon as it can. Until then what you see
          below may be out of date.
        </Notice>
      </div>
    </div>
  );
}
