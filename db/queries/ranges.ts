import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { Timeframe } from "@/lib/vocabulary";
import { IS_SETTLED_CANDLE } from "./candles";
import { columns, json, number, type Row, text, timestamp, timestampOrNull } from "./columns";
import { array } from "./parameters";
import { SLOT_COLUMNS, type SlotScope, slotIdsInScope } from "./slots";

export interface ForecastRangeRow {
  slotId: number;
  ts: Date;
  closesAt: Date;
  close: number;
  either: number[];
  up: number[];
  down: number[];
}

const STATE = columns({
  ...SLOT_COLUMNS,
  lastSettledTs: timestamp("d.ts"),
  lastRangeTs: timestampOrNull("r.ts"),
});
export type RangeState = Row<typeof STATE>;

/**
 * Slots with a champion or a live signal that have a settled candle, with the newest settled candle and the newest
 * range.
 */
export async function listRangeStates(handle: DatabaseHandle): Promise<RangeState[]> {
  return STATE.all(
    handle,
    sql`
    select ${STATE.list}
      from slots s
      join symbols y on y.symbol = s.symbol
      cross join lateral (
        select ts from candles where slot_id = s.id and ${IS_SETTLED_CANDLE} order by ts desc limit 1) d
      left join lateral (select ts from candle_forecast_ranges where slot_id = s.id order by ts desc limit 1) r on true
     where exists (select 1 from models m where m.slot_id = s.id and m.is_active)
        or exists (select 1 from latest_signals l where l.slot_id = s.id)
     order by s.symbol, s.id`,
  );
}

/** Stores forecast ranges. A candle that has one keeps it. Returns the number of new ones. */
export async function insertForecastRanges(
  handle: DatabaseHandle,
  rows: ForecastRangeRow[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const inserted = await handle.execute(sql`
    insert into candle_forecast_ranges (slot_id, ts, closes_at, close, either, up, down)
    select slot_id, to_timestamp(ts_ms / 1000.0), to_timestamp(closes_ms / 1000.0), close, either, up, down
      from jsonb_to_recordset(${JSON.stringify(
        rows.map((row) => ({
          ...row,
          slot_id: row.slotId,
          ts_ms: row.ts.getTime(),
          closes_ms: row.closesAt.getTime(),
        })),
      )}::jsonb) as t(slot_id int, ts_ms float8, closes_ms float8, close float8, either float8[], up float8[], down float8[])
     order by 1, 2
    on conflict do nothing
    returning 1`);
  return inserted.length;
}

/** Whether the slot's newest live signal is of this candle. Then clients may have read the signal without the range. */
export async function hasSignalOfCandle(
  handle: DatabaseHandle,
  { slotId, ts }: { slotId: number; ts: Date },
): Promise<boolean> {
  const rows = await handle.execute(sql`
    select 1 from latest_signals where slot_id = ${slotId} and ts = ${ts.toISOString()}::timestamptz`);
  return rows.length > 0;
}

const OPEN = columns({ ts: timestamp("ts") });

/** Open times, up to `until`, of a slot's candles whose range has no actual moves yet, oldest first. */
export async function listOpenForecastRanges(
  handle: DatabaseHandle,
  slotId: number,
  until: Date,
): Promise<Date[]> {
  const rows = await OPEN.all(
    handle,
    sql`
    select ${OPEN.list} from candle_forecast_ranges
     where slot_id = ${slotId} and moved_up is null and ts <= ${until.toISOString()}::timestamptz order by ts`,
  );
  return rows.map(({ ts }) => ts);
}

export interface RangeMove {
  ts: Date;
  movedUp: number;
  movedDown: number;
}

/** Stores the largest actual moves after candles that have a range, in price units. Stored moves are kept. */
export async function resolveForecastRanges(
  handle: DatabaseHandle,
  slotId: number,
  moves: RangeMove[],
): Promise<void> {
  if (moves.length === 0) return;
  await handle.execute(sql`
    update candle_forecast_ranges r set moved_up = t.up, moved_down = t.down
      from unnest(${array(
        moves.map(({ ts }) => ts.getTime()),
        "float8",
      )}, ${array(
        moves.map(({ movedUp }) => movedUp),
        "float8",
      )}, ${array(
        moves.map(({ movedDown }) => movedDown),
        "float8",
      )}) as t(ts_ms, up, down)
     where r.slot_id = ${slotId} and r.ts = to_timestamp(t.ts_ms / 1000.0) and r.moved_up is null`);
}

const WAYS = {
  either: "greatest(r.moved_up, r.moved_down)",
  up: "r.moved_up",
  down: "r.moved_down",
} as const;
type Way = keyof typeof WAYS;

/** Number of actual moves that stayed within each of the four forecast quantiles, in the order of the quantiles. */
const within = (way: Way) =>
  json<number[]>(
    `array[${[1, 2, 3, 4].map((place) => `count(*) filter (where ${WAYS[way]} <= r.${way}[${place}])`).join(", ")}]::int[]`,
  );

const COVERAGE = columns({
  slotId: number("s.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  n: number("count(*)::int"),
  either: within("either"),
  up: within("up"),
  down: within("down"),
  /** Number of moves in either direction beyond the first quantile and within the fourth. */
  between: number(
    `(count(*) filter (where ${WAYS.either} > r.either[1] and ${WAYS.either} <= r.either[4]))::int`,
  ),
});
export type RangeCoverage = Row<typeof COVERAGE>;

/** How many actual moves stayed within the ranges, by slot in scope, for candles that closed after `since`. */
export async function countRangeCoverage(
  handle: DatabaseHandle,
  { scope, since }: { scope: SlotScope; since: Date },
): Promise<RangeCoverage[]> {
  return COVERAGE.all(
    handle,
    sql`
    select ${COVERAGE.list}
      from candle_forecast_ranges r
      join slots s on s.id = r.slot_id
     where r.slot_id = any(${slotIdsInScope(scope)}) and r.moved_up is not null
       and r.closes_at > ${since.toISOString()}::timestamptz
     group by s.id, s.symbol, s.timeframe`,
  );
}
