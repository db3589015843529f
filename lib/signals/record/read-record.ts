import type { Handle } from "@/db/client";
import { readLedgerState } from "@/db/queries/ledger";
import {
  countRecordSlots,
  listRecordSlots,
  listSeries,
  type RecordSeries,
  type RecordSlotRow,
  sumDays,
  sumResults,
} from "@/db/queries/record";
import { bySlot } from "@/lib/market/slot-order";
import { windowCache } from "@/lib/runtime/window-cache";
import { DAY_MS } from "@/lib/time";
import { ENOUGH_RESULTS, type PublicRecord, type RecordQuery } from "@/lib/wire/contracts/record";
import { roundFigure } from "@/lib/wire/round";
import {
  type DayTotals,
  evidenceNeeded,
  evidenceOfSlot,
  figuresOf,
  headlineOf,
  type JudgedSlot,
  totalsByDay,
} from "./figures";
import { fromMicro, fromNano } from "./fixed-point";
import { isSimulated } from "./is-simulated";
import { inOneSnapshot, selectionOf } from "./selection";

/** The record of every slot, or of what the query selects. A slot or model that is not known is 404. */
export async function readRecord(query: RecordQuery): Promise<PublicRecord> {
  return inOneSnapshot(async (tx) => {
    const slots = await listRecordSlots(tx);
    const selection = await selectionOf(tx, query, slots);
    const { size } = await readLedgerState(tx);
    const { slotIds, ...narrowing } = selection;
    const [nSlots, whole] = [await countRecordSlots(tx), await wholeSeries(tx, slotIds, size)];
    const isWhole = Object.values(narrowing).every((part) => part === undefined);
    const series = isWhole ? whole : await listSeries(tx, selection);
    const [days, results] = [await sumDays(tx, selection), await sumResults(tx, selection)];
    return recordOf({ query, slots, nSlots, whole, series, days, results, ledgerSize: size });
  });
}

const KEPT_SERIES = 8;

/** The whole record of some slots by day: read once for each size of the ledger, whatever part of it is asked for. */
function wholeSeries(tx: Handle, slotIds: number[] | undefined, size: number): Promise<RecordSeries[]> {
  // The size is part of the key: an answer is made of exactly the ledger that it names.
  return windowCache<RecordSeries[]>("record-series", KEPT_SERIES).get(
    `${size} ${slotIds?.join() ?? "all"}`,
    0,
    new Date(),
    async () => ({ value: await listSeries(tx, { slotIds }), validUntil: null }),
  );
}

interface Read {
  query: RecordQuery;
  slots: RecordSlotRow[];
  /** How many slots have results, selected or not. */
  nSlots: number;
  /** The whole record of the slots that symbol and timeframe select, on which the evidence rests. */
  whole: RecordSeries[];
  series: RecordSeries[];
  days: Awaited<ReturnType<typeof sumDays>>;
  results: Awaited<ReturnType<typeof sumResults>>;
  ledgerSize: number;
}

function recordOf({ query, slots, nSlots, whole, series, days, results, ledgerSize }: Read): PublicRecord {
  const judged = judgeSlots(slots, whole, evidenceNeeded(nSlots));
  const totals = totalsByDay(series);
  const withResults = slots
    .filter(({ slotId }) => series.some((one) => one.slotId === slotId))
    .toSorted(bySlot);
  const items = withResults.map((slot) => {
    const own = <R extends { slotId: number }>(rows: R[]) => rows.filter((row) => row.slotId === slot.slotId);
    const { direction, probability } = judged.get(slot.slotId) ?? UNJUDGED;
    return {
      symbol: slot.symbol,
      tf_code: slot.timeframe,
      simulated: isSimulated(slot),
      models: own(days).flatMap(({ models }) => models.toSorted()),
      ...figuresOf(own(days), own(results), totalsByDay(own(series))),
      evidence: { direction, probability },
    };
  });
  return {
    ledger_size: ledgerSize,
    simulated: items.some(({ simulated }) => simulated),
    from: query.from ?? null,
    to: query.to ?? null,
    first_day: dayText(totals.at(0)),
    last_day: dayText(totals.at(-1)),
    headline: headlineOf([...judged.values()]),
    total: figuresOf(days, results, totals),
    count: items.length,
    items,
    curve: curveOf(totals),
    months: monthsOf(totals),
  };
}

const UNJUDGED = {
  n: 0,
  nFollowed: 0,
  direction: { value: 1, needed: 1, shown: false },
  probability: { value: 1, needed: 1, shown: false },
};

/** The evidence of each slot that has any, over its whole record. */
function judgeSlots(
  slots: RecordSlotRow[],
  whole: RecordSeries[],
  needed: number,
): Map<number, JudgedSlot & typeof UNJUDGED> {
  const timeframes = new Map(slots.map(({ slotId, timeframe }) => [slotId, timeframe]));
  return new Map(
    whole.flatMap((series) => {
      const timeframe = timeframes.get(series.slotId);
      if (timeframe === undefined) return [];
      const evidence = evidenceOfSlot(series, timeframe);
      const judge = (value: number) => ({ value, needed, shown: value >= needed });
      const total = (column: Float64Array) => column.reduce((sum, one) => sum + one, 0);
      return [
        [
          series.slotId,
          {
            n: total(series.n),
            nFollowed: total(series.nFollowed),
            direction: judge(evidence.direction),
            probability: judge(evidence.probability),
          },
        ],
      ];
    }),
  );
}

const textOfDay = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const dayText = (totals: DayTotals | undefined) => (totals === undefined ? null : textOfDay(totals.day));

function curveOf(totals: readonly DayTotals[]): PublicRecord["curve"] {
  let [r, coinR, frequenciesR] = [0, 0, 0];
  return totals.map((day) => {
    r += day.r;
    coinR += day.coinR;
    frequenciesR += day.frequenciesR;
    return {
      date: textOfDay(day.day),
      r: roundFigure(fromMicro(r)),
      coin_r: roundFigure(fromMicro(coinR)),
      frequencies_r: roundFigure(fromMicro(frequenciesR)),
    };
  });
}

function monthsOf(totals: readonly DayTotals[]): PublicRecord["months"] {
  const months = new Map<string, DayTotals>();
  for (const day of totals) {
    const month = textOfDay(day.day).slice(0, 7);
    const held = months.get(month);
    if (held === undefined) months.set(month, { ...day });
    else {
      held.n += day.n;
      held.nFollowed += day.nFollowed;
      held.brier += day.brier;
      held.brierFrequencies += day.brierFrequencies;
      held.r += day.r;
      held.coinR += day.coinR;
      held.frequenciesR += day.frequenciesR;
    }
  }
  return [...months].map(([month, sums]) => {
    const enough = sums.n >= ENOUGH_RESULTS;
    return {
      month,
      n: sums.n,
      n_followed: sums.nFollowed,
      total_r: roundFigure(fromMicro(sums.r)),
      coin_r: roundFigure(fromMicro(sums.coinR)),
      frequencies_r: roundFigure(fromMicro(sums.frequenciesR)),
      brier: enough ? roundFigure(fromNano(sums.brier) / sums.n) : null,
      brier_frequencies: enough ? roundFigure(fromNano(sums.brierFrequencies) / sums.n) : null,
      skill: enough && sums.brierFrequencies > 0 ? roundFigure(1 - sums.brier / sums.brierFrequencies) : null,
    };
  });
}
