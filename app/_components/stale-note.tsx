import { Clock } from "lucide-react";
import { minutesBetween } from "@/lib/time";
import { formatInstant, formatIsoSeconds, formatSpan } from "./times";

/** A note that data is older than it should be, with its time and the expected age. */
export function StaleNote({
  what,
  at,
  now,
  expectedMinutes,
}: {
  what: string;
  at: Date;
  now: Date;
  expectedMinutes?: number;
}) {
  const ageMinutes = minutesBetween(at, now);
  return (
    <p className="inline-flex items-start gap-2 text-sm text-warn">
      <Clock aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span>
        {what} is {formatSpan(ageMinutes)} old (since{" "}
        <time dateTime={formatIsoSeconds(at)}>{formatInstant(at)}</time>)
        {expectedMinutes !== undefined && `; expected within ${formatSpan(expectedMinutes)}`}.
      </span>
    </p>
  );
}
