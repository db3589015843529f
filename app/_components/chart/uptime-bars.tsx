"use client";

import { formatNumber } from "@/app/_components/figures";
import { formatDay, formatSpan } from "@/app/_components/times";
import { type UptimeDay, uptimePct } from "@/lib/health/uptime";
import type { HealthState } from "@/lib/vocabulary";
import { percentOf } from "./percent-of";

const HEIGHT = 32;

function stateOf(day: UptimeDay): "none" | HealthState {
  if (day.observedMinutes === 0) return "none";
  if (day.downMinutes > 0) return "down";
  return day.degradedMinutes > 0 ? "degraded" : "ok";
}

// Disruptions differ in height as well as in colour.
const STYLES = {
  none: { className: "fill-line", height: 6 },
  ok: { className: "fill-up/80", height: HEIGHT },
  degraded: { className: "fill-warn", height: 24 },
  down: { className: "fill-danger", height: 16 },
} as const;

function describeDay(day: UptimeDay): string {
  const state = stateOf(day);
  const date = formatDay(day.date);
  if (state === "none") return `${date}: no data`;
  if (state === "ok") return `${date}: no trouble`;
  const parts = [
    day.downMinutes > 0 && `down ${formatSpan(day.downMinutes)}`,
    day.degradedMinutes > 0 && `degraded ${formatSpan(day.degradedMinutes)}`,
  ];
  return `${date}: ${parts.filter(Boolean).join(", ")}`;
}

/** One bar per day, oldest first, with the component's name and its uptime above them. */
export function UptimeBars({
  component,
  days,
  headingLevel: Heading = "h3",
}: {
  component: string;
  days: readonly UptimeDay[];
  headingLevel?: "h2" | "h3" | "h4";
}) {
  const pct = uptimePct(days);
  const down = days.reduce((sum, day) => sum + day.downMinutes, 0);
  const observed = days.filter((day) => day.observedMinutes > 0).length;
  const troubled = days.filter((day) => stateOf(day) === "down" || stateOf(day) === "degraded");
  const first = days.find((day) => day.observedMinutes > 0);
  const since = first && first !== days[0] ? ` since ${formatDay(first.date)}` : "";
  const share = pct === null ? "not observed yet" : `${formatNumber(pct, 2)} % up${since}`;
  const words = [
    pct !== null && (down === 0 ? "never down" : `${formatSpan(down)} down`),
    first && first === days.at(-1) && `observed for ${formatSpan(first.observedMinutes)}`,
    first && first !== days.at(-1) && observed < days.length && `${observed} of ${days.length} days observed`,
  ]
    .filter(Boolean)
    .join(", ");
  const spoken = [share, words].filter(Boolean).join(", ");
  const width = 1 / Math.max(1, days.length);
  return (
    <figure>
      <figcaption className="mb-3 flex items-baseline justify-between gap-4">
        <Heading className="shrink-0 text-sm">{component}</Heading>
        <span className="text-right text-sm text-muted tabular-nums">{share}</span>
      </figcaption>
      <svg
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`${component}, last ${days.length} days: ${spoken}.${troubled.length > 0 ? ` ${troubled.map(describeDay).join("; ")}.` : ""}`}
        className="block"
      >
        {days.map((day, index) => {
          const { className, height } = STYLES[stateOf(day)];
          return (
            <rect
              key={day.date.getTime()}
              x={percentOf(index * width)}
              width={percentOf(width * 0.68)}
              y={HEIGHT - height}
              height={height}
              rx="1"
              className={className}
            >
              <title>{describeDay(day)}</title>
            </rect>
          );
        })}
      </svg>
      <p className="mt-2 flex justify-between gap-4 text-xs text-faint">
        <span className="whitespace-nowrap">{days.length} days ago</span>
        <span className="text-center tabular-nums">{words}</span>
        <span className="whitespace-nowrap">today</span>
      </p>
    </figure>
  );
}
