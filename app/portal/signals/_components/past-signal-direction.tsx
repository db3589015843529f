import { Badge } from "@/app/_components/badge";
import { DirectionMark } from "@/app/_components/direction-mark";
import type { SignalHistoryRow } from "@/db/queries/signal-history";

/** The direction of a past signal, with a mark if a pause withheld it. */
export function PastSignalDirection({ row }: { row: Pick<SignalHistoryRow, "signal" | "heldBack"> }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <DirectionMark direction={row.signal} />
      {row.heldBack && <Badge tone="warn">paused</Badge>}
    </span>
  );
}
