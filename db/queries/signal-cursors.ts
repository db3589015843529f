import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { array } from "./parameters";

/** Tables of receivers of signals. Each row has a cursor, `signals_up_to`: signals up to that `seq` are queued. */
type Table = "channel_recipients" | "webhook_endpoints";

/** SQL: active receivers whose cursor is not at `lastSeq`, the `seq` of the newest signal, locked until commit. */
export const laggingReceivers = (
  table: Table,
  { lastSeq, limit }: { lastSeq: number; limit: number },
): SQL => sql`
  select * from ${sql.identifier(table)}
   where state = 'active' and (signals_up_to < ${lastSeq} or signals_up_to > ${lastSeq})
   order by signals_up_to, id limit ${limit} for update skip locked`;

/**
 * Advances the cursors of these rows to `upTo`. A cursor beyond `upTo` is kept, but limited to `lastSeq`, the newest
 * signal.
 */
export async function advanceCursors(
  tx: Transaction,
  table: Table,
  ids: readonly number[],
  { upTo, lastSeq }: { upTo: number; lastSeq: number },
): Promise<void> {
  await tx.execute(sql`
    update ${sql.identifier(table)}
       set signals_up_to = least(greatest(signals_up_to, ${upTo}::bigint), ${lastSeq}::bigint)
     where id = any(${array([...ids], "int")})`);
}
