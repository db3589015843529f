import { percentOf } from "@/app/_components/chart/percent-of";
import { formatNumber } from "@/app/_components/figures";
import { formatSpan } from "@/app/_components/times";
import { type WallClock, wallTime } from "@/lib/market/clock";
import type { DayOfCalls } from "@/lib/subscribers/day-of-calls";
import { MINUTE_MS } from "@/lib/time";

const HEIGHT = 28;
const MARKS = 5;

/** When the trading client called in the last 24 hours: a bar for each run of ten-minute spans with a call. */
export function ClientActivityStrip({ day, clock }: { day: DayOfCalls; clock: WallClock }) {
  const { from, spanMinutes, spans } = day;
  const heard = spans.filter(Boolean).length;
  const silence = longestSilence(spans);
  const timeAt = (index: number) =>
    wallTime(clock, new Date(from.getTime() + index * spanMinutes * MINUTE_MS))
      .toISOString()
      .slice(11, 16);
  const words =
    heard === 0
      ? "Last 24 h: no calls."
      : `Last 24 h: calls in ${formatNumber(heard)} of ${formatNumber(spans.length)} spans of ${spanMinutes} min${
          silence.length === 0
            ? ""
            : `; longest gap about ${formatSpan(silence.length * spanMinutes)}, from ${timeAt(silence.start)}`
        }.`;
  const width = 1 / spans.length;
  return (
    <figure>
      <svg
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`Connection of your EA. ${words}`}
        className="block"
      >
        <rect width="100%" height={HEIGHT} rx="3" className="fill-sunken" />
        {runsOf(spans).map(({ start, length }) => (
          <rect
            key={start}
            x={percentOf(start * width)}
            width={percentOf(length * width)}
            height={HEIGHT}
            className="fill-up/80"
          />
        ))}
      </svg>
      <p aria-hidden="true" className="mt-1 flex justify-between text-xs text-faint tabular-nums">
        {Array.from({ length: MARKS }, (_, i) => (
          <span key={timeAt((i * spans.length) / (MARKS - 1))}>
            {i === MARKS - 1 ? "now" : timeAt((i * spans.length) / (MARKS - 1))}
          </span>
        ))}
      </p>
      <figcaption className="mt-1 text-xs text-muted">{words}</figcaption>
    </figure>
  );
}

interface Run {
  start: number;
  length: number;
}

/** Runs of consecutive spans with a call. */
function runsOf(spans: readonly boolean[]): Run[] {
  const runs: Run[] = [];
  spans.forEach((heard, index) => {
    const last = runs.at(-1);
    if (!heard) return;
    if (last && last.start + last.length === index) last.length++;
    else runs.push({ start: index, length: 1 });
  });
  return runs;
}

/** The longest run of spans without a call after the first call. */
function longestSilence(spans: readonly boolean[]): Run {
  let longest: Run = { start: 0, length: 0 };
  let start = spans.indexOf(true) + 1;
  for (let index = start; index <= spans.length; index++) {
    if (index < spans.length && !spans[index]) continue;
    if (index - start > longest.length) longest = { start, length: index - start };
    start = index + 1;
  }
  return longest;
}
