import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { boolean, columns, type Row, safeInteger } from "./columns";
import { WAS_CREATED_IN_PAUSE } from "./pauses";
import { IS_LIVE_SIGNAL, NAMED_SIGNAL_COLUMNS } from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";

const NUMBERED = columns({
  seq: safeInteger("g.seq"),
  predId: safeInteger("g.id"),
  heldBack: boolean(WAS_CREATED_IN_PAUSE),
  ...NAMED_SIGNAL_COLUMNS,
});
export type NumberedSignal = Row<typeof NUMBERED>;

/** The newest `limit` live signals after a sequence number, in commit order. Reads the end of one index. */
export async function listNewestSignalsAfterSeq(
  handle: DatabaseHandle,
  { after, limit }: { after: number; limit: number },
): Promise<NumberedSignal[]> {
  const rows = await NUMBERED.all(
    handle,
    sql`
    select ${NUMBERED.list}
      from (select * from signals g where seq > ${after} and ${IS_LIVE_SIGNAL} order by seq desc limit ${limit}) g
      join slots s on s.id = g.slot_id
     order by g.seq desc`,
  );
  return rows.reverse();
}

/**
 * The newest `limit` live signals in scope between two sequence numbers, in commit order. Reads one index range per slot,
 * so neither other slots nor the length of the history matter.
 */
export async function listScopeSignalsBetweenSeqs(
  handle: DatabaseHandle,
  wanted: { scope: SlotScope; after: number; upTo: number; limit: number },
): Promise<NumberedSignal[]> {
  const rows = await NUMBERED.all(
    handle,
    sql`
    select ${NUMBERED.list}
      from unnest(${slotIdsInScope(wanted.scope)}) as wanted(slot_id)
      cross join lateral (
        select * from signals g
         where slot_id = wanted.slot_id and seq > ${wanted.after} and seq <= ${wanted.upTo} and ${IS_LIVE_SIGNAL}
         order by seq desc limit ${wanted.limit}) g
      join slots s on s.id = g.slot_id
     order by g.seq desc
     limit ${wanted.limit}`,
  );
  return rows.reverse();
}

/** The live signal with this sequence number; null: none. */
export async function findSignalBySeq(handle: DatabaseHandle, seq: number): Promise<NumberedSignal | null> {
  const [row] = await NUMBERED.all(
    handle,
    sql`
    select ${NUMBERED.list} from signals g join slots s on s.id = g.slot_id
     where g.seq = ${seq} and ${IS_LIVE_SIGNAL}`,
  );
  return row ?? null;
}
