import { ConfidenceBar } from "@/app/_components/confidence-bar";
import { DirectionMark } from "@/app/_components/direction-mark";
import { paths } from "@/lib/paths";
import { compareSlotSalience, isActionable, type SlotView } from "@/lib/signals/list-slot-views";
import { formatRegime } from "./format-regime";
import { RemainingValidity } from "./live";
import { SlotAgeOrClosed } from "./slot-state";

const SHOWN = 7;

/** The strongest signals: actionable ones first, then other BUY and SELL, then NO TRADE. */
export function StrongestSignals({ slots, now }: { slots: readonly SlotView[]; now: Date }) {
  const ranked = slots
    .flatMap((slot) => (slot.signal ? [{ ...slot, signal: slot.signal }] : []))
    .toSorted(compareSlotSalience)
    .slice(0, SHOWN);
  return (
    <ul className="divide-y">
      {ranked.map((slot) => (
        <li key={slot.slotId}>
          <a
            href={paths.portalSlot(slot.symbol, slot.timeframe)}
            className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 hover:bg-sunken/60 sm:px-6"
          >
            <span className="w-28 font-medium">
              {slot.symbol} <span className="font-normal text-muted">{slot.timeframe}</span>
            </span>
            <span className="w-28">
              <DirectionMark direction={slot.signal.signal} weight={isActionable(slot) ? "loud" : "quiet"} />
            </span>
            {slot.signal.signal !== "NO_TRADE" && <ConfidenceBar value={slot.signal.confidence} />}
            <span className="ml-auto text-right text-xs text-faint">
              {formatRegime(slot.signal.regime)}
              <br />
              {slot.pause ? (
                <span className="font-medium text-warn">paused</span>
              ) : isActionable(slot) ? (
                <RemainingValidity until={slot.validUntil} />
              ) : (
                <SlotAgeOrClosed freshness={slot.freshness} now={now} />
              )}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
