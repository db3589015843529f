import type { ReactNode } from "react";
import { counted, formatShare } from "@/app/_components/figures";
import { formatDayOnly, formatInstant } from "@/app/_components/times";
import { spreadIndices } from "@/lib/engine/chart/scale";
import type { Direction } from "@/lib/vocabulary";
import { ChartFrame } from "./chart-frame";
import { percentOf } from "./percent-of";

export type TapeSignal = { at: Date; direction: Direction; confidence: number };

const HEIGHT = 112;
const MIDDLE = HEIGHT / 2;

/** The signals of one slot in a row: BUY stands on the line, SELL hangs from it, as far as their confidence; NO TRADE is a dot. */
export function SignalTape({
  slot,
  signals,
  notes,
  simulated,
}: {
  slot: string;
  /** Oldest first. */
  signals: readonly TapeSignal[];
  notes?: ReactNode;
  simulated?: boolean;
}) {
  const count = (direction: Direction) => signals.filter((signal) => signal.direction === direction).length;
  const first = signals[0];
  const last = signals.at(-1);
  const width = 1 / Math.max(1, signals.length);
  const summary =
    first && last
      ? `${slot}, ${counted(signals.length, "signal")} from ${formatInstant(first.at)} to ${formatInstant(last.at)}: ${count("BUY")} BUY, ${count("SELL")} SELL, ${count("NO_TRADE")} NO TRADE.`
      : `${slot}: no signals yet.`;

  return (
    <ChartFrame
      summary={summary}
      unit="confidence"
      notes={notes}
      simulated={simulated}
      height={HEIGHT}
      yMarks={[
        { at: 10, label: "BUY" },
        { at: HEIGHT - 10, label: "SELL" },
      ]}
      xMarks={spreadIndices(signals.length, 4).flatMap((index) => {
        const at = signals[index]?.at;
        return at ? [{ at: (index + 0.5) * width, label: formatDayOnly(at) }] : [];
      })}
      twin={{
        columns: ["Candle (UTC)", "Signal", "Confidence"],
        rows: signals.map((signal) => [
          formatInstant(signal.at),
          signal.direction.replace("_", " "),
          formatShare(signal.confidence, 1),
        ]),
      }}
    >
      <line x1="0" x2="100%" y1={MIDDLE} y2={MIDDLE} className="chart-zero" />
      {signals.map((signal, index) => {
        const reach = signal.confidence * (MIDDLE - 4);
        if (signal.direction === "NO_TRADE") {
          return (
            <circle
              key={signal.at.getTime()}
              cx={percentOf((index + 0.5) * width)}
              cy={MIDDLE}
              r="1.5"
              className="fill-edge"
            />
          );
        }
        const buys = signal.direction === "BUY";
        return (
          <rect
            key={signal.at.getTime()}
            x={percentOf((index + 0.15) * width)}
            width={percentOf(0.7 * width)}
            y={buys ? MIDDLE - reach : MIDDLE}
            height={reach}
            className={buys ? "fill-up" : "fill-down"}
          />
        );
      })}
    </ChartFrame>
  );
}
