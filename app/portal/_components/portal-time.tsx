import { type Clock, wallTime } from "@/lib/clock";
import { formatDay, formatDayOnly, isoSeconds } from "../../_components/times";

/** An instant on the reader's clock; the clock's name stands in the head of what it belongs to. ISO on hover. */
export function PortalTime({
  at,
  clock,
  empty = "–",
  year = true,
}: {
  at: Date | null;
  clock: Clock;
  empty?: string;
  year?: boolean;
}) {
  if (!at) return <span className="text-faint">{empty}</span>;
  const wall = wallTime(clock, at);
  const iso = isoSeconds(at);
  return (
    <time dateTime={iso} title={iso} className="whitespace-nowrap">
      {year ? formatDay(wall) : formatDayOnly(wall)}, {wall.toISOString().slice(11, 16)}
    </time>
  );
}
