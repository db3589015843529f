import { ConfidenceBar } from "@/app/_components/confidence-bar";
import { DirectionMark } from "@/app/_components/direction-mark";
import { Link } from "@/app/_components/link";
import { paths } from "@/lib/paths";
import type { SlotView } from "@/lib/signals/list-slot-views";
import { regimeWord } from "./regime";
import { SlotState } from "./slot-state";

const SHOWN = 7;

/** The signals to look at first: fresh BUY and SELL, then the rest, each by confidence. */
export function StrongestSignals({ slots, now }: { slots: readonly SlotView[]; now: Date }) {
  const ranked = slots
    .flatMap((slot) => (slot.signal ? [{ ...slot, signal: slot.signal }] : []))
    .toSorted((a, b) => rankOf(b) - rankOf(a) || b.signal.confidence - a.signal.confidence)
    .slice(0, SHOWN);
  return (
    <ul className="divide-y">
      {ranked.map((slot) => (
        <li key={slot.slotId}>
          <Link
            href={paths.portalSlot(slot.symbol, slot.timeframe)}
            className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 hover:bg-sunken/60 sm:px-6"
          >
            <span className="w-28 font-medium">
              {slot.symbol} <span className="font-normal text-muted">{slot.timeframe}</span>
            </span>
            <span className="w-24">
              <DirectionMark direction={slot.signal.signal} />
            </span>
            <ConfidenceBar value={slot.signal.confidence} />
            <span className="ml-auto text-right text-xs text-faint">
              {regimeWord(slot.signal.regime)}
              <br />
              <SlotState freshness={slot.freshness} now={now} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function rankOf({ signal, freshness }: SlotView): number {
  return (signal?.signal === "NO_TRADE" ? 0 : 2) + (freshness.stale ? 0 : 1);
}
