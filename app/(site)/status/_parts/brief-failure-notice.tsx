import { formatDay, formatSpan } from "@/app/_components/times";
import type { BriefFailure } from "@/lib/health/brief-failures";

const SHOWN = 12;

/** Explains coloured days of the uptime bars that have no incident. */
export function BriefFailureNotice({ brief }: { brief: readonly BriefFailure[] }) {
  if (brief.length === 0) return null;
  const rest = brief.length - SHOWN;
  return (
    <div className="border-t px-4 py-4 text-sm sm:px-6">
      <h3 className="text-sm">Coloured days without an incident</h3>
      <p className="mt-1 text-muted">
        A single failed check colours its day. It opens no incident if the next check passes.
      </p>
      <ul className="mt-2 space-y-1">
        {brief.slice(0, SHOWN).map(({ name, date, downMinutes, degradedMinutes }) => (
          <li key={`${name} ${date.getTime()}`}>
            {formatDay(date)}, {name}:{" "}
            {[
              downMinutes > 0 && `${formatSpan(downMinutes)} down`,
              degradedMinutes > 0 && `${formatSpan(degradedMinutes)} degraded`,
            ]
              .filter(Boolean)
              .join(", ")}
          </li>
        ))}
        {rest > 0 && <li className="text-muted">and {rest} more</li>}
      </ul>
    </div>
  );
}
