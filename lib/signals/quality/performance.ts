import type { z } from "zod";
import { db } from "@/db/client";
import { countSignalsByModel, type FollowedOutcome, listFollowedSignals } from "@/db/queries/track-record";
import type { Scope } from "@/lib/access/plans";
import { bySlot } from "@/lib/market/slot-order";
import { groupBy } from "@/lib/runtime/group-by";
import type { Windowed } from "@/lib/runtime/window-cache";
import { addDays } from "@/lib/time";
import type { Performance } from "@/lib/wire/contracts/quality";
import { trackRecordOf } from "./track-record";

/**
 * Track records of the slots in scope over the last days, by symbol, timeframe and model, until the oldest signal leaves
 * the window. They change with a signal or an outcome.
 */
export async function readPerformance(
  scope: Scope,
  { days }: { days: number },
  now: Date,
): Promise<Windowed<z.output<typeof Performance>>> {
  const window = { scope, since: addDays(now, -days) };
  const [counts, followed] = await Promise.all([
    countSignalsByModel(db("statistics"), window),
    listFollowedSignals(db("statistics"), window),
  ]);
  const groups = groupBy(followed, groupKey);
  const items = counts
    .toSorted((a, b) => bySlot(a, b) || (a.modelV < b.modelV ? -1 : 1))
    .map((count) => trackRecordOf(count, groups.get(groupKey(count)) ?? []));
  const earliest = Math.min(...counts.map(({ earliestClose }) => earliestClose.getTime()));
  return {
    value: { days, count: items.length, items },
    validUntil: counts.length === 0 ? null : addDays(new Date(earliest), days),
  };
}

function groupKey(row: Pick<FollowedOutcome, "slotId" | "modelV">): string {
  return `${row.slotId}/${row.modelV}`;
}
