import { ConfidenceBar } from "@/app/_components/confidence-bar";
import { DirectionMark } from "@/app/_components/direction-mark";
import { formatRegime } from "@/app/portal/_components/format-regime";
import { SlotAgeOrClosed } from "@/app/portal/_components/slot-state";
import { paths } from "@/lib/paths";
import { isActionable, type SlotView } from "@/lib/signals/list-slot-views";

/** A cell of the matrix of signals: a slot's newest signal, its regime and its age. */
export function SlotCell({ slot, now }: { slot: SlotView; now: Date }) {
  const { signal, freshness } = slot;
  return (
    <a
      href={paths.portalSlot(slot.symbol, slot.timeframe)}
      className="-mx-2 flex min-h-22 flex-col justify-center gap-1 rounded-md px-2 py-2 text-left hover:bg-sunken phone:mx-0 phone:min-w-44 phone:px-0"
    >
      <span className="sr-only">
        {slot.symbol} {slot.timeframe}:{" "}
      </span>
      {signal ? (
        <>
          <span className="flex items-center gap-3">
            <DirectionMark direction={signal.signal} weight={isActionable(slot) ? "loud" : "quiet"} />
            {slot.pause && <span className="text-xs font-medium text-warn">paused</span>}
          </span>
          {signal.signal !== "NO_TRADE" && <ConfidenceBar value={signal.confidence} />}
          <span className="text-xs font-normal whitespace-nowrap text-faint">
            {formatRegime(signal.regime)} · <SlotAgeOrClosed freshness={freshness} now={now} />
          </span>
        </>
      ) : (
        <span className="text-sm font-normal text-faint">no signal yet</span>
      )}
    </a>
  );
}
