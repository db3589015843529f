"use client";

import { formatSpan } from "@/app/_components/times";
import { minutesBetween } from "@/lib/time";
import { useNow } from "./live-provider";

/** The remaining validity of a signal as a countdown; `until` as ISO 8601. */
export function ValidFor({ until }: { until: string }) {
  const minutes = minutesBetween(useNow(), new Date(until));
  if (minutes <= 0) return <span className="font-medium text-warn">no longer valid</span>;
  return (
    <time dateTime={until} title={`until ${until}`} className={minutes < 5 ? "text-warn" : undefined}>
      valid for {formatSpan(minutes)}
    </time>
  );
}
