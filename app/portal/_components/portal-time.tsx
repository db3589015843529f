import { formatDay, formatDayWithoutYear, formatIsoSeconds } from "@/app/_components/times";
import { type WallClock, wallTime } from "@/lib/market/clock";

/** An instant on the subscriber's clock, which the heading of the table or card names; ISO on hover. */
export function PortalTime({
  at,
  clock,
  now,
  empty = "–",
}: {
  at: Date | null;
  clock: WallClock;
  /** Omits the year if it is the current one. */
  now?: Date;
  empty?: string;
}) {
  if (!at) return <span className="text-faint">{empty}</span>;
  const wall = wallTime(clock, at);
  const iso = formatIsoSeconds(at);
  const sameYear = now !== undefined && wallTime(clock, now).getUTCFullYear() === wall.getUTCFullYear();
  return (
    <time dateTime={iso} title={iso} className="whitespace-nowrap">
      {sameYear ? formatDayWithoutYear(wall) : formatDay(wall)}, {wall.toISOString().slice(11, 16)}
    </time>
  );
}
