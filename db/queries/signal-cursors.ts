import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { boolean, columns, type Row } from "./columns";
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

// Two ranges of the index on the cursor, because no index serves an inequality.
const isAnyBehind = (rows: string) =>
  `exists (select from ${rows} signals_up_to < v.last_seq) or exists (select from ${rows} signals_up_to > v.last_seq)`;

const BEHIND = columns({
  endpoints: boolean(isAnyBehind("webhook_endpoints where state = 'active' and")),
  chats: boolean(isAnyBehind("telegram_chats where")),
  recipients: boolean(isAnyBehind("channel_recipients where state = 'active' and")),
});

/** For each kind of receivers, whether the cursor of any of them is not at the newest signal. */
export async function readLaggingReceivers(handle: DatabaseHandle): Promise<Row<typeof BEHIND>> {
  return BEHIND.one(handle, sql`select ${BEHIND.list} from state_versions v`);
}

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
