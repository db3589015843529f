import { Clock, Minus, Moon, Pause } from "lucide-react";
import { DirectionMark } from "@/app/_components/direction-mark";
import { ScrollRegion } from "@/app/_components/scroll-region";
import { formatSpan } from "@/app/_components/times";
import type { OpenPause } from "@/db/queries/pauses";
import type { LatestSignal } from "@/db/queries/signals";
import { coveringPause } from "@/lib/access/pauses";
import type { SlotOverview } from "@/lib/admin/read-slot-overviews";
import { compareTimeframes } from "@/lib/market/timeframes";
import { adminPaths } from "@/lib/paths";

/** Symbols as rows, timeframes as columns: the newest signal of each slot and its age in open-market time. */
export function SlotMatrix({
  slots,
  latest,
  pauses,
}: {
  slots: readonly SlotOverview[];
  latest: readonly LatestSignal[];
  pauses: readonly OpenPause[];
}) {
  const symbols = [...new Set(slots.map((slot) => slot.symbol))];
  const timeframes = [...new Set(slots.map((slot) => slot.timeframe))].sort(compareTimeframes);
  const slotAt = new Map(slots.map((slot) => [`${slot.symbol}/${slot.timeframe}`, slot]));
  const signalAt = new Map(latest.map((signal) => [`${signal.symbol}/${signal.timeframe}`, signal]));
  return (
    <ScrollRegion label="Slots by symbol and timeframe">
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">
          Newest signal of each slot with its age in open-market time; symbols down, timeframes across
        </caption>
        <thead>
          <tr className="border-b text-xs text-muted">
            <th scope="col" className="h-10 px-4 text-left font-medium sm:px-6">
              Symbol
            </th>
            {timeframes.map((timeframe) => (
              <th key={timeframe} scope="col" className="px-3 text-left font-medium">
                {timeframe}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {symbols.map((symbol) => (
            <tr key={symbol}>
              <th scope="row" className="px-4 text-left font-medium sm:px-6">
                {symbol}
              </th>
              {timeframes.map((timeframe) => {
                const slot = slotAt.get(`${symbol}/${timeframe}`);
                return (
                  <td key={timeframe} className="p-1.5">
                    {slot ? (
                      <SlotCell
                        slot={slot}
                        signal={signalAt.get(`${symbol}/${timeframe}`)}
                        isPaused={coveringPause(pauses, slot) !== null}
                      />
                    ) : (
                      <span className="px-2 text-faint">–</span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function SlotCell({
  slot,
  signal,
  isPaused,
}: {
  slot: SlotOverview;
  signal: LatestSignal | undefined;
  isPaused: boolean;
}) {
  const troubled = slot.active && slot.stale;
  return (
    <a
      href={adminPaths.slot(slot.symbol, slot.timeframe)}
      className={`relative block min-w-36 rounded-md border px-2.5 py-2 hover:border-edge ${troubled ? "border-warn/40 bg-warn-soft" : "border-transparent hover:bg-sunken"}`}
    >
      <span className="sr-only">
        {slot.symbol} {slot.timeframe}:{" "}
      </span>
      <span className="flex items-center justify-between gap-2">
        {signal ? (
          <DirectionMark direction={signal.signal} />
        ) : (
          <span className="inline-flex items-center gap-1 text-xs text-muted">
            <Minus aria-hidden="true" className="size-3.5" />
            no signal
          </span>
        )}
        {isPaused && (
          <span className="inline-flex items-center gap-1 text-xs text-warn">
            <Pause aria-hidden="true" className="size-3" />
            paused
          </span>
        )}
        {!slot.marketOpen && (
          <span className="inline-flex items-center gap-1 text-xs text-faint">
            <Moon aria-hidden="true" className="size-3" />
            closed
          </span>
        )}
      </span>
      <span
        className={`mt-1 flex items-center gap-1 text-xs tabular-nums ${troubled ? "text-warn" : "text-muted"}`}
      >
        {troubled && <Clock aria-hidden="true" className="size-3 shrink-0" />}
        {!slot.active
          ? "no champion"
          : slot.ageMinutes === null
            ? "stale, never a signal"
            : `${troubled ? "stale, " : ""}${formatSpan(slot.ageMinutes)} old, next due after ${formatSpan(slot.expectedMinutes)}`}
      </span>
    </a>
  );
}
