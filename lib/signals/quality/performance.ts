import type { z } from "zod";
import { db } from "@/db/client";
import type { StateVersions } from "@/db/queries/keys";
import { countSignalsByModel, type FollowedOutcome, listFollowedSignals } from "@/db/queries/outcomes";
import { narrowScope, type Scope } from "@/lib/access/plans";
import { writeBody } from "@/lib/api/answer";
import { bySlot } from "@/lib/market/slot-order";
import { groupBy } from "@/lib/runtime/group-by";
import { windowCache } from "@/lib/runtime/window-cache";
import { Performance } from "@/lib/wire/contracts/quality";
import { trackRecordOf } from "./track-record";

const DAY_MS = 86_400_000;

export interface QualityRequest {
  scope: Scope;
  versions: StateVersions;
  symbol: string | undefined;
  timeframe: string | undefined;
  days: number;
}

/** The body of `/api/performance`, computed anew when a signal or an outcome was added or one left the window. */
export function getPerformanceBody(wanted: QualityRequest, now: Date): Promise<string> {
  const scope = narrowScope(wanted.scope, wanted);
  const { days, versions } = wanted;
  // Counters of one row only ever grow, so that their sum moves with each of them.
  const version = versions.signals + versions.outcomes;
  return windowCache<string>("performance").get(`${scope.id}|${days}`, version, now, async () => {
    const { body, earliestClose } = await readPerformance(scope, days, now);
    const validUntil = earliestClose && new Date(earliestClose.getTime() + days * DAY_MS);
    return { value: writeBody(Performance, body), validUntil };
  });
}

/** Track records of the slots in scope over the last days, by symbol, timeframe and model. */
export async function readPerformance(
  scope: Scope,
  days: number,
  now: Date,
): Promise<{ body: z.output<typeof Performance>; earliestClose: Date | null }> {
  const window = { scope, since: new Date(now.getTime() - days * DAY_MS) };
  const [counts, followed] = await Promise.all([
    countSignalsByModel(db(), window),
    listFollowedSignals(db(), window),
  ]);
  const groups = groupBy(followed, groupKey);
  const items = counts
    .toSorted((a, b) => bySlot(a, b) || (a.modelV < b.modelV ? -1 : 1))
    .map((count) => trackRecordOf(count, groups.get(groupKey(count)) ?? []));
  const earliest = Math.min(...counts.map(({ earliestClose }) => earliestClose.getTime()));
  return {
    body: { days, count: items.length, items },
    earliestClose: counts.length === 0 ? null : new Date(earliest),
  };
}

function groupKey(row: Pick<FollowedOutcome, "slotId" | "modelV">): string {
  return `${row.slotId}/${row.modelV}`;
}
