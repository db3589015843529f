import { countRecordSlots, listLateSignalSums } from "@/db/queries/record";
import { listRecordCoverage, type RecordCoverageRow } from "@/db/queries/record-coverage";
import { compareSlots } from "@/lib/market/slot-order";
import { DAY_MS } from "@/lib/time";
import { MIN_RESULTS_FOR_RATES, type PublicRecord, type RecordQuery } from "@/lib/wire/contracts/record";
import { roundFigure } from "@/lib/wire/round";
import { enteredLaterFiguresOf } from "./entered-later-figures";
import {
  evidenceNeeded,
  figuresOfRecord,
  headlineOf,
  OVERALL_EVIDENCE_NEEDED,
  overallEvidence,
  skillOf,
} from "./figures";
import { fromMicro, fromNano } from "./fixed-point";
import { isSimulated } from "./is-simulated";
import { type LoadedRecord, type RecordSnapshot, readRecordSnapshot } from "./record-cache";
import { demonstrationNotice } from "./record-rule";
import type { SlotRecord } from "./slot-record";
import { type DailySumSeries, sumSlotRecords } from "./sums";

/** The record of every slot, or of what the query selects. Throws 404 for an unknown slot or model. */
export async function readRecord(query: RecordQuery): Promise<PublicRecord> {
  return readRecordSnapshot(query, (now, snapshot) => readLoadedRecord(query, now, snapshot));
}

/** Like `readRecord`, for a record that is already loaded and the snapshot from which it was read. */
export async function readLoadedRecord(
  query: RecordQuery,
  { ledgerSize, slots, selection, records }: LoadedRecord,
  { tx }: RecordSnapshot,
): Promise<PublicRecord> {
  // All slots with results, selected or not, and those whose due results are withheld.
  const nSlots = await countRecordSlots(tx);
  const needed = evidenceNeeded(nSlots);
  const covered = new Map((await listRecordCoverage(tx)).map((row) => [row.slotId, row]));
  const shown = slots.toSorted(compareSlots).flatMap((slot) => {
    const whole = records.get(slot.slotId);
    const selected = whole?.narrowed(selection);
    return whole && selected && selected.days.length > 0 ? [{ slot, whole, selected }] : [];
  });
  const items = shown.map(({ slot, whole, selected }) => {
    const { direction, probability } = judgedOf(whole, needed);
    return {
      symbol: slot.symbol,
      tf_code: slot.timeframe,
      simulated: isSimulated(slot),
      models: [...selected.models],
      ...selected.figures,
      evidence: { direction, probability },
      coverage: coverageOf([covered.get(slot.slotId)], [whole]),
    };
  });
  const judged = [...records.values()].map((record) => judgedOf(record, needed));
  const overall = selection.slotIds === undefined ? overallOf(judged, nSlots) : null;
  const requested = slots.filter(({ slotId }) => selection.slotIds?.includes(slotId) ?? true);
  // A single slot is its own total, so its figures are computed once.
  const [one, ...others] = shown;
  const total =
    one && others.length === 0
      ? one.selected.sums
      : sumSlotRecords(shown.map(({ selected }) => selected.sums));
  const { series } = total;
  const coverage = coverageOf(
    requested.map(({ slotId }) => covered.get(slotId)),
    requested.flatMap(({ slotId }) => records.get(slotId) ?? []),
  );
  const late = coverage.n_entered_later === 0 ? [] : await listLateSignalSums(tx, selection);
  return {
    ledger_size: ledgerSize,
    simulated: items.some(({ simulated }) => simulated),
    from: query.from ?? null,
    to: query.to ?? null,
    first_day: dayText(series.day[0]),
    last_day: dayText(series.day.at(-1)),
    notice: demonstrationNotice(),
    headline: headlineOf(judged, overall),
    overall,
    coverage,
    total: figuresOfRecord(total),
    count: items.length,
    items,
    curve: curveOf(series),
    months: monthsOf(series),
    entered_later: enteredLaterFiguresOf(late, slots),
  };
}

/** Evidence of a slot over its whole record, compared with the evidence needed for a claim. */
function judgedOf({ evidence, sums }: SlotRecord, needed: number) {
  const judge = (value: number) => ({ value, needed, shown: value >= needed });
  return {
    n: sums.forecasts.n,
    nFollowed: sums.results.model.n,
    direction: judge(evidence.direction),
    probability: judge(evidence.probability),
  };
}

/** Evidence of all slots together. A slot that withholds its results counts as 0. */
function overallOf(slots: readonly ReturnType<typeof judgedOf>[], nSlots: number): PublicRecord["overall"] {
  const silent = new Array<number>(Math.max(0, nSlots - slots.length)).fill(0);
  const judge = (question: "direction" | "probability") => {
    const value = overallEvidence(
      slots.length === 0 ? [] : [...slots.map((slot) => slot[question].value), ...silent],
    );
    return { value, needed: OVERALL_EVIDENCE_NEEDED, shown: value >= OVERALL_EVIDENCE_NEEDED };
  };
  return { direction: judge("direction"), probability: judge("probability") };
}

/**
 * Coverage of some slots over their whole record: the share of offered candles with a signal committed in time, and the
 * share of results after costs.
 */
function coverageOf(
  rows: readonly (RecordCoverageRow | undefined)[],
  records: readonly SlotRecord[],
): PublicRecord["coverage"] {
  const some = rows.filter((row) => row !== undefined);
  const sum = (pick: (row: RecordCoverageRow) => number) => some.reduce((all, row) => all + pick(row), 0);
  const since = some
    .flatMap(({ offeredFrom }) => offeredFrom ?? [])
    .toSorted((a, b) => a.getTime() - b.getTime());
  const [n, nInTime, nLate] = [
    sum((row) => row.nCandles),
    sum((row) => row.nInTime),
    sum((row) => row.nLate),
  ];
  return {
    since: since[0] ?? null,
    n_candles: n,
    n_in_time: nInTime,
    pct: n === 0 ? null : roundFigure((100 * nInTime) / n),
    n_slow: sum((row) => row.nSlow),
    n_late: nLate,
    mean_late_minutes: nLate === 0 ? null : roundFigure(sum((row) => row.lateSeconds) / nLate / 60),
    n_paused: sum((row) => row.nPaused),
    n_missing_candles: sum((row) => row.nMissing),
    n_directional: records.reduce((n, { sums }) => n + sums.forecasts.nDirectional, 0),
    n_without_cost: records.reduce((n, { sums }) => n + sums.forecasts.nWithoutCost, 0),
    n_entered_later: sum((row) => row.nEnteredLater),
  };
}

const writtenDays = new Map<number, string>();
/** A day, given in days since 1970, as `YYYY-MM-DD`. Cached, because an answer contains a thousand days. */
function textOfDay(day: number): string {
  const held = writtenDays.get(day);
  if (held !== undefined) return held;
  const text = new Date(day * DAY_MS).toISOString().slice(0, 10);
  writtenDays.set(day, text);
  return text;
}
const dayText = (day: number | undefined) => (day === undefined ? null : textOfDay(day));

const curves = new WeakMap<DailySumSeries, PublicRecord["curve"]>();

function curveOf(series: DailySumSeries): PublicRecord["curve"] {
  const held = curves.get(series);
  if (held) return held;
  const curve = addedUp(series);
  curves.set(series, curve);
  return curve;
}

function addedUp({ day, r, coinR, frequenciesR }: DailySumSeries): PublicRecord["curve"] {
  let [total, ofCoin, ofFrequencies] = [0, 0, 0];
  return Array.from(day, (at, i) => {
    total += r[i] ?? 0;
    ofCoin += coinR[i] ?? 0;
    ofFrequencies += frequenciesR[i] ?? 0;
    return {
      date: textOfDay(at),
      r: roundFigure(fromMicro(total)),
      coin_r: roundFigure(fromMicro(ofCoin)),
      frequencies_r: roundFigure(fromMicro(ofFrequencies)),
    };
  });
}

const MONTH_NAMES = [
  "n",
  "nFollowed",
  "brier",
  "brierFrequencies",
  "gainSquares",
  "r",
  "coinR",
  "frequenciesR",
] as const;
type MonthSums = Record<(typeof MONTH_NAMES)[number], number>;
const NO_MONTH: MonthSums = {
  n: 0,
  nFollowed: 0,
  brier: 0,
  brierFrequencies: 0,
  gainSquares: 0,
  r: 0,
  coinR: 0,
  frequenciesR: 0,
};

function monthsOf(series: DailySumSeries): PublicRecord["months"] {
  const months = new Map<string, MonthSums>();
  for (const [i, day] of series.day.entries()) {
    const month = textOfDay(day).slice(0, 7);
    const held = months.get(month) ?? { ...NO_MONTH };
    months.set(month, held);
    for (const name of MONTH_NAMES) held[name] += series[name][i] ?? 0;
  }
  return [...months].map(([month, sums]) => {
    const enough = sums.n >= MIN_RESULTS_FOR_RATES;
    return {
      month,
      n: sums.n,
      n_followed: sums.nFollowed,
      total_r: roundFigure(fromMicro(sums.r)),
      coin_r: roundFigure(fromMicro(sums.coinR)),
      frequencies_r: roundFigure(fromMicro(sums.frequenciesR)),
      brier: enough ? roundFigure(fromNano(sums.brier) / sums.n) : null,
      brier_frequencies: enough ? roundFigure(fromNano(sums.brierFrequencies) / sums.n) : null,
      skill: skillOf(sums.brier, sums),
    };
  });
}
