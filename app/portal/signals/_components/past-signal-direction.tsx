import { Badge } from "@/app/_components/badge";
import { DirectionMark } from "@/app/_components/direction-mark";
import type { SignalHistoryRow } from "@/db/queries/signal-history";
import { isDemonstration } from "@/lib/signals/record/record-rule";

/**
 * The direction of a past signal, with a mark if a pause withheld it or if it was entered later. The history of a simulated
 * market was made at once, so the second mark would say nothing there.
 */
export function PastSignalDirection({
  row,
}: {
  row: Pick<SignalHistoryRow, "signal" | "heldBack" | "enteredLater">;
}) {
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <DirectionMark direction={row.signal} />
      {row.heldBack && <Badge tone="warn">paused</Badge>}
      {row.enteredLater && !isDemonstration() && <Badge tone="warn">entered later</Badge>}
    </span>
  );
}
