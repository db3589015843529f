import Link from "next/link";
import { paths } from "@/lib/paths";
import type { SlotView } from "@/lib/signals/list-slot-views";
import { ConfidenceBar } from "../../_components/confidence-bar";
import { DirectionMark } from "../../_components/direction-mark";
import { formatSpan } from "../../_components/times";
import { regimeWord } from "./regime";

const SHOWN = 6;

/** The fresh directional signals with the highest confidence; in a quiet hour it says so. */
export function StrongestSignals({ slots }: { slots: readonly SlotView[] }) {
  const directional = slots
    .flatMap((slot) =>
      slot.signal && slot.signal.signal !== "NO_TRADE" && !slot.freshness.stale
        ? [{ ...slot, signal: slot.signal }]
        : [],
    )
    .toSorted((a, b) => b.signal.confidence - a.signal.confidence)
    .slice(0, SHOWN);
  if (directional.length === 0) {
    return (
      <p className="px-4 py-10 text-center text-sm text-muted sm:px-6">
        No slot has a fresh BUY or SELL at present. NO TRADE is the most frequent signal.
      </p>
    );
  }
  return (
    <ul className="divide-y">
      {directional.map((slot) => (
        <li key={slot.slotId}>
          <Link
            href={paths.portalSlot(slot.symbol, slot.timeframe)}
            className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 hover:bg-sunken/60 sm:px-6"
          >
            <span className="w-28 font-medium">
              {slot.symbol} <span className="font-normal text-muted">{slot.timeframe}</span>
            </span>
            <span className="w-20">
              <DirectionMark direction={slot.signal.signal} />
            </span>
            <ConfidenceBar value={slot.signal.confidence} />
            <span className="ml-auto text-right text-xs text-faint">
              {regimeWord(slot.signal.regime)}
              <br />
              {slot.freshness.ageMinutes === null ? "" : `closed ${formatSpan(slot.freshness.ageMinutes)} ago`}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
