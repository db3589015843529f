import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { array } from "./parameters";

/** Tables whose active rows receive signals, each with its own cursor. */
type Table = "channel_recipients" | "webhook_endpoints";

/** Active rows with unqueued signals up to `lastSeq`, locked until commit. */
export const rowsBehindCursor = (
  table: Table,
  { lastSeq, limit }: { lastSeq: number; limit: number },
): SQL => sql`
  select * from ${sql.identifier(table)}
   where state = 'active' and (signals_up_to < ${lastSeq} or signals_up_to > ${lastSeq})
   order by signals_up_to, id limit ${limit} for update skip locked`;

/** Advances the cursors of these rows. Those ahead stay, but not beyond the last signal. */
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
