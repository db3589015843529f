import { Card } from "@/app/_components/card";
import { formatInstant } from "@/app/_components/times";
import type { Pause } from "@/db/queries/pauses";

/** When the operator paused the slot. Renders nothing without a pause. Signals during a pause count in the record. */
export function SlotPauses({ pauses }: { pauses: readonly Pause[] }) {
  if (pauses.length === 0) return null;
  return (
    <Card
      title="Pauses"
      lead="During a pause the operator delivers no signals of this slot. They are still made, sealed and resolved, and count in the figures above, so a pause never improves the record."
    >
      <ul className="divide-y text-sm">
        {pauses.map((pause) => (
          <li key={pause.id} className="py-2 first:pt-0 last:pb-0">
            {formatInstant(pause.startedAt)}{" "}
            {pause.endedAt ? `to ${formatInstant(pause.endedAt)}` : "until now"}:{" "}
            <span className="text-muted">{pause.reason}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
