import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { oddCandles } from "@/db/schema";
import type { OddCandleKind, Timeframe } from "@/lib/vocabulary";
import { columns, number, type Row, text, timestamp } from "./columns";

/** Records odd candles of a slot: candles that look wrong, such as bad ticks. A recorded candle is left unchanged. */
export async function recordOddCandles(
  handle: DatabaseHandle,
  slotId: number,
  found: readonly { ts: number; kind: OddCandleKind; size: number }[],
): Promise<void> {
  if (found.length === 0) return;
  await handle
    .insert(oddCandles)
    .values(found.map(({ ts, kind, size }) => ({ slotId, ts: new Date(ts), kind, size })))
    .onConflictDoNothing();
}

const ODD = columns({
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ts: timestamp("o.ts"),
  kind: text<OddCandleKind>("o.kind"),
  size: number("o.size"),
  foundAt: timestamp("o.created_at"),
});
export type OddCandleRow = Row<typeof ODD>;

/** The odd candles (candles that look wrong) that were found last, newest finding first. */
export async function listOddCandles(handle: DatabaseHandle, limit: number): Promise<OddCandleRow[]> {
  return ODD.all(
    handle,
    sql`select ${ODD.list} from (select * from odd_candles order by created_at desc, ts desc limit ${limit}) o
          join slots s on s.id = o.slot_id
         order by o.created_at desc, o.ts desc`,
  );
}

const COUNT = columns({ n: number("count(*)::int") });

/** Number of odd candles that were found in the last `days`. */
export async function countOddCandles(handle: DatabaseHandle, days: number): Promise<number> {
  const { n } = await COUNT.one(
    handle,
    sql`select ${COUNT.list} from odd_candles where created_at > now() - make_interval(days => ${days})`,
  );
  return n;
}
