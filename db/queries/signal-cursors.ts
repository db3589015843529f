import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { array } from "./parameters";

/** Tables whose active rows are told of signals, each up to a number of its own. */
type Table = "channel_recipients" | "webhook_endpoints";

/** Active rows for which the signals up to `lastSeq` are not queued yet, held to the end of the transaction. */
export const rowsBehindCursor = (
  table: Table,
  { lastSeq, limit }: { lastSeq: number; limit: number },
): SQL => sql`
  select * from ${sql.identifier(table)}
   where state = 'active' and (signals_up_to < ${lastSeq} or signals_up_to > ${lastSeq})
   order by signals_up_to, id limit ${limit} for update skip locked`;

/** Says up to which signal these rows have their deliveries. Those ahead of it stay, but not beyond the last signal. */
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
