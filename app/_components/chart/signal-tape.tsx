import type { ReactNode } from "react";
import { countWithNoun, formatShare } from "@/app/_components/figures";
import { formatDateTimeOn, formatInstantOn } from "@/app/_components/times";
import { clockOffsetLabel, UTC_CLOCK, type WallClock } from "@/lib/market/clock";
import type { Direction } from "@/lib/vocabulary";
import { ChartFrame, type ChartTableToggle, StretchedPlot } from "./chart-frame";
import { columnTimeTicks } from "./time-ticks";

export type TapeSignal = { at: Date; direction: Direction; confidence: number };

const HEIGHT = 112;
const MIDDLE = HEIGHT / 2;
const DRAWING_WIDTH = 1000;

/**
 * The signals of one slot, one mark each: a bar for BUY points up, one for SELL down, and NO TRADE is a dot. The length of a
 * bar shows the confidence.
 */
export function SignalTape({
  slot,
  signals,
  clock = UTC_CLOCK,
  notes,
  table,
}: {
  slot: string;
  signals: readonly TapeSignal[];
  clock?: WallClock;
  notes?: ReactNode;
  table?: ChartTableToggle;
}) {
  const count = (direction: Direction) => signals.filter((signal) => signal.direction === direction).length;
  const first = signals[0];
  const last = signals.at(-1);
  const width = 1 / Math.max(1, signals.length);
  const drawn = drawSignals(signals, width);
  const summary =
    first && last
      ? `${slot}, ${countWithNoun(signals.length, "signal")} from ${formatInstantOn(clock, first.at)} to ${formatInstantOn(clock, last.at)}: ${count("BUY")} BUY, ${count("SELL")} SELL, ${count("NO_TRADE")} NO TRADE.`
      : `${slot}: no signals yet.`;

  return (
    <ChartFrame
      summary={summary}
      unit="confidence"
      notes={notes}
      table={table}
      height={HEIGHT}
      yMarks={[
        { at: 10, label: "BUY" },
        { at: HEIGHT - 10, label: "SELL" },
      ]}
      xMarks={columnTimeTicks(
        signals.map((signal) => signal.at),
        clock,
        (index) => (index + 0.5) * width,
      )}
      twin={{
        columns: [`Candle, ${clockOffsetLabel(clock, last?.at ?? new Date(0))}`, "Signal", "Confidence"],
        rows: signals.map((signal) => [
          formatDateTimeOn(clock, signal.at),
          signal.direction.replace("_", " "),
          formatShare(signal.confidence, 1),
        ]),
      }}
    >
      <line x1="0" x2="100%" y1={MIDDLE} y2={MIDDLE} className="chart-zero" />
      <StretchedPlot height={HEIGHT}>
        <path d={drawn.BUY} className="fill-up" />
        <path d={drawn.SELL} className="fill-down" />
        <path d={drawn.NO_TRADE} className="chart-dots" />
      </StretchedPlot>
    </ChartFrame>
  );
}

/** One path for each direction: bars as long as the confidence, dots for NO TRADE. */
function drawSignals(signals: readonly TapeSignal[], width: number): Record<Direction, string> {
  const paths: Record<Direction, string> = { BUY: "", SELL: "", NO_TRADE: "" };
  const px = (value: number) => Number(value.toFixed(1));
  signals.forEach(({ direction, confidence }, index) => {
    const left = index * width * DRAWING_WIDTH;
    const wide = width * DRAWING_WIDTH;
    const reach = confidence * (MIDDLE - 4);
    paths[direction] +=
      direction === "NO_TRADE"
        ? `M${px(left + wide / 2)} ${MIDDLE}h0`
        : `M${px(left + 0.15 * wide)} ${MIDDLE}h${px(0.7 * wide)}v${px(direction === "BUY" ? -reach : reach)}h${px(-0.7 * wide)}z`;
  });
  return paths;
}
