import type { Database, DatabaseHandle } from "@/db/client";
import { listStoredDedupeKeys } from "@/db/queries/mail";
import { writeInstant } from "@/lib/wire/json";

/** The end of the paid time of each of these keys with days of grace after it. lib/access computes it. */
export type ListPaidUntil = (
  handle: DatabaseHandle,
  keyIds: readonly number[],
  now: Date,
) => Promise<Map<number, Date>>;

/**
 * Those ends of access or of a plan for which no mail is stored yet, each with `paidUntil` for its mail. The jobs find the
 * same ends every minute, and the paid time is read only for new ones.
 */
export async function listUnmailedEnds<E extends { keyId: number; dedupeKey: string }>(
  database: Database,
  ends: readonly E[],
  listPaidUntil: ListPaidUntil,
  now: Date,
): Promise<(E & { end: { paidUntil?: string } })[]> {
  if (ends.length === 0) return [];
  const mailed = await listStoredDedupeKeys(
    database,
    ends.map(({ dedupeKey }) => dedupeKey),
  );
  const unmailed = ends.filter(({ dedupeKey }) => !mailed.has(dedupeKey));
  const keyIds = unmailed.map(({ keyId }) => keyId);
  const paidUntil = await listPaidUntil(database, keyIds, now);
  return unmailed.map((end) => {
    const paid = paidUntil.get(end.keyId);
    return { ...end, end: paid === undefined ? {} : { paidUntil: writeInstant(paid) } };
  });
}
