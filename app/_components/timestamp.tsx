import { formatDay, formatInstant, formatIsoSeconds, formatRelative, formatSpan } from "./times";

/** An instant, written in UTC. */
export function Timestamp({ at, empty = "–" }: { at: Date | null; empty?: string }) {
  if (!at) return <span className="text-faint">{empty}</span>;
  return (
    <time dateTime={formatIsoSeconds(at)} title={formatIsoSeconds(at)} className="whitespace-nowrap">
      {formatInstant(at)}
    </time>
  );
}

/** The UTC day of an instant, for tables; the instant itself on hover. */
export function UtcDay({ at, empty = "–" }: { at: Date | null; empty?: string }) {
  if (!at) return <span className="text-faint">{empty}</span>;
  return (
    <time dateTime={formatIsoSeconds(at)} title={formatInstant(at)} className="whitespace-nowrap">
      {formatDay(at)}
    </time>
  );
}

/** How long ago, or in how long; the exact instant on hover. `now` is the time of rendering. */
export function RelativeTime({ at, now, empty = "never" }: { at: Date | null; now: Date; empty?: string }) {
  if (!at) return <span className="text-faint">{empty}</span>;
  return (
    <time dateTime={formatIsoSeconds(at)} title={formatInstant(at)} className="whitespace-nowrap">
      {formatRelative(at, now)}
    </time>
  );
}

const JUST_NOW_SECONDS = 5;

/** The age of an instant; `public/enhance.js` updates it while the page is open. */
export function GrowingAge({ at, now }: { at: Date; now: Date }) {
  const seconds = Math.max(0, Math.floor((now.getTime() - at.getTime()) / 1000));
  return (
    <time
      dateTime={formatIsoSeconds(at)}
      title={formatInstant(at)}
      data-age-seconds={seconds}
      className="whitespace-nowrap tabular-nums"
    >
      {seconds < JUST_NOW_SECONDS ? "just now" : `${formatSpan(seconds / 60)} ago`}
    </time>
  );
}
