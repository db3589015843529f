import { type SQL, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import type { Timeframe } from "@/lib/vocabulary";
import { at, atMs, atMsOrNull, columns, json, number, type Row, text } from "./columns";
import { IS_LIVE } from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";

const FOLLOWED = columns({
  slotId: number("g.slot_id"),
  modelV: text("g.model_v"),
  confidence: number("g.confidence"),
  tsMs: atMs("g.ts"),
  closesMs: atMs("g.closes_at"),
  endedMs: atMsOrNull("o.ended_at"),
  resultR: number<number | null>("o.result_r"),
  buyR: number<number | null>("o.buy_r"),
  sellR: number<number | null>("o.sell_r"),
});
export type FollowedOutcome = Row<typeof FOLLOWED>;

/**
 * Every followed direction in scope whose candle closed after `since`, with its result when it has one; by `ts`. An
 * outcome's candle is its signal's: saying so of both keeps the join inside the window, however long the history.
 */
export async function listFollowedSignals(
  handle: Handle,
  wanted: { scope: SlotScope; since: Date },
): Promise<FollowedOutcome[]> {
  const since = sql`${wanted.since.toISOString()}::timestamptz`;
  return FOLLOWED.all(
    handle,
    sql`
    select ${FOLLOWED.list}
      from signals g left join outcomes o on o.signal_id = g.id and o.closes_at > ${since}
     where g.signal <> 'NO_TRADE' and ${IS_LIVE} and g.slot_id = any(${slotIdsInScope(wanted.scope)}) and g.closes_at > ${since}
     order by g.ts, g.id`,
  );
}

const SIGNAL_COUNT = columns({
  slotId: number("c.slot_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("c.model_v"),
  n: number("c.n"),
  earliestClose: at("c.earliest"),
});
export type SignalCount = Row<typeof SIGNAL_COUNT>;

/** How many signals in scope there were of each slot and model since an instant, NO_TRADE included. */
export async function countSignalsByModel(
  handle: Handle,
  wanted: { scope: SlotScope; since: Date },
): Promise<SignalCount[]> {
  return SIGNAL_COUNT.all(
    handle,
    sql`
    select ${SIGNAL_COUNT.list}
      from (select slot_id, model_v, count(*)::int as n, min(closes_at) as earliest
              from signals g
             where ${IS_LIVE} and slot_id = any(${slotIdsInScope(wanted.scope)})
               and closes_at > ${wanted.since.toISOString()}::timestamptz
             group by 1, 2) c
      join slots s on s.id = c.slot_id`,
  );
}

/** Probabilities and labels as one text per column. */
const FORECAST = columns({
  slotId: number("f.slot_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("f.model_v"),
  /** Class frequencies of the training sample: BUY, SELL, NO_TRADE; null when the model came without them. */
  classFreq: json<number[] | null>("m.class_freq"),
  earliestClose: at("f.earliest"),
  buy: text("f.buy"),
  sell: text("f.sell"),
  no: text("f.no"),
  labels: text("f.labels"),
  closes: text<string | null>("f.closes"),
  ids: text<string | null>("f.ids"),
});

export interface ForecastColumns
  extends Omit<Row<typeof FORECAST>, "buy" | "sell" | "no" | "labels" | "closes" | "ids"> {
  /** n x 3 probabilities in the order BUY, SELL, NO_TRADE, by time of the candle. */
  probs: Float64Array;
  /** What happened, as class numbers 0..2. */
  labels: Uint8Array;
  /** Close of each candle in epoch seconds, and the signal's id: empty unless asked for. */
  closesS: Float64Array;
  ids: Float64Array;
}

const LABEL_LETTERS = "BSN";

/**
 * Forecasts with a known class, one row per slot and model. The numbers come as one text per column: a year of hours on
 * 14 slots is 100,000 forecasts, and as many row objects would cost several times the query itself. Both sides are held to the window, as above. `withOrder`: bring the candle and the id
 * of each forecast too, by which those of several models can be put in one order.
 */
export async function listForecasts(
  handle: Handle,
  wanted: { scope: SlotScope; since: Date; withOrder?: boolean },
): Promise<ForecastColumns[]> {
  const inOrder = (value: SQL) =>
    wanted.withOrder
      ? sql`array_to_string(array_agg(${value} order by o.closes_at, o.signal_id), ',')`
      : sql`null::text`;
  const since = sql`${wanted.since.toISOString()}::timestamptz`;
  const rows = await FORECAST.all(
    handle,
    sql`
    select ${FORECAST.list}
      from (select o.slot_id, o.model_v, min(o.closes_at) as earliest,
                   array_to_string(array_agg(g.prob_buy order by o.closes_at, o.signal_id), ',') as buy,
                   array_to_string(array_agg(g.prob_sell order by o.closes_at, o.signal_id), ',') as sell,
                   array_to_string(array_agg(g.prob_no order by o.closes_at, o.signal_id), ',') as no,
                   string_agg(left(o.label, 1), '' order by o.closes_at, o.signal_id) as labels,
                   ${inOrder(sql`extract(epoch from o.closes_at)::bigint`)} as closes,
                   ${inOrder(sql`o.signal_id`)} as ids
              from outcomes o join signals g on g.id = o.signal_id
             where ${IS_LIVE} and o.slot_id = any(${slotIdsInScope(wanted.scope)})
               and o.closes_at > ${since} and g.closes_at > ${since}
             group by 1, 2) f
      join slots s on s.id = f.slot_id
      left join models m on m.slot_id = f.slot_id and m.model_v = f.model_v`,
  );
  const numbers = (list: string | null) => Float64Array.from(list?.split(",") ?? [], Number);
  return rows.map(({ buy, sell, no, labels, closes, ids, ...row }) => {
    const n = labels.length;
    const probs = new Float64Array(3 * n);
    [buy, sell, no].forEach((column, k) => {
      column.split(",").forEach((value, i) => {
        probs[3 * i + k] = Number(value);
      });
    });
    return {
      ...row,
      probs,
      labels: Uint8Array.from(labels, (letter) => LABEL_LETTERS.indexOf(letter)),
      closesS: numbers(closes),
      ids: numbers(ids),
    };
  });
}

const RESULT = columns({ endedAt: at("o.ended_at"), resultR: number("o.result_r") });
export type ResultRow = Row<typeof RESULT>;

/** Results in R of the directions that one model signalled in the last `days`, in the order in which they ended. */
export async function listResults(
  handle: Handle,
  query: { slotId: number; modelV: string; days: number },
): Promise<ResultRow[]> {
  return RESULT.all(
    handle,
    sql`
    select ${RESULT.list} from outcomes o join signals g on g.id = o.signal_id
     where o.slot_id = ${query.slotId} and o.closes_at > now() - make_interval(days => ${query.days})
       and o.model_v = ${query.modelV} and o.result_r is not null and ${IS_LIVE}
     order by o.ended_at, o.signal_id`,
  );
}
