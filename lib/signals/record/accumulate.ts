import type { DatabaseHandle } from "@/db/client";
import { recordCommittedInTime } from "@/db/queries/ledger";
import {
  addToRecord,
  type OverlapState,
  type RecordBinRow,
  type RecordDayRow,
  type RecordLateRow,
  type RecordResultRow,
  readOverlapStates,
  saveOverlapStates,
  type UnaccumulatedOutcome,
} from "@/db/queries/record";
import { LEVELS_RULE_VERSION } from "@/lib/engine/outcome";
import { type CommitmentTiming, isCommittedInTime } from "@/lib/market/committed-in-time";
import { yieldingMap } from "@/lib/runtime/yielding-map";
import { SECOND_MS } from "@/lib/time";
import type { Direction, Timeframe } from "@/lib/vocabulary";
import { isCounted, isEnteredLater } from "./record-rule";
import type { ChangedLedgerSignal } from "./recount-coverage";
import {
  decodeScoringState,
  encodeScoringState,
  initialScoringState,
  type LastIndependentEnds,
  markFirstOfCandle,
  noIndependentEnds,
  type ResolvedLedgerSignal,
  type SlotScoringState,
  scoreNextSignal,
} from "./score";

/** Stands for the model version where a row holds a slot's history over all its models. */
const ALL_MODELS = "";

/** The part of a reveal entry that is read here, in the form that `contents.ts` writes. */
interface RevealContent {
  simulated: boolean;
  signal: {
    symbol: string;
    timeframe: Timeframe;
    signal: Direction;
    prob_buy: number;
    prob_sell: number;
    prob_no: number;
    ts: string;
    closes_at: string;
    model_v: string;
  };
}
interface OutcomeContent {
  /** null: no outcome could be computed. */
  label: Direction | null;
  buy_r: number;
  sell_r: number;
  cost_r: number;
  rule: string;
  horizon_end: string;
}

/**
 * Adds outcomes to the sums of the public record, from their ledger entries alone. `entries` must be in the ledger's
 * order. Also stores, and returns, for each signal whether it was committed in time.
 */
export async function accumulateOutcomes(
  tx: DatabaseHandle,
  entries: UnaccumulatedOutcome[],
): Promise<ChangedLedgerSignal[]> {
  if (entries.length === 0) return [];
  const stored = new Map(
    (await readOverlapStates(tx, [...new Set(entries.map(({ slotId }) => slotId))])).map(
      ({ slotId, modelV, busyUntil }) => [`${slotId}/${modelV}`, busyUntil.split(",").map(Number)],
    ),
  );
  const busy = new Held<LastIndependentEnds>(
    (key) => stored.get(key) ?? noIndependentEnds(),
    (overlaps) => overlaps,
  );
  const histories = new Held<SlotScoringState>((key) => {
    const numbers = stored.get(key);
    return numbers === undefined ? initialScoringState() : decodeScoringState(numbers);
  }, encodeScoringState);
  const days = new Sums<RecordDayRow>();
  const results = new Sums<RecordResultRow>();
  const bins = new Sums<RecordBinRow>();
  const late = new Sums<RecordLateRow>();
  const decided: (ChangedLedgerSignal & { signalId: number })[] = [];
  await yieldingMap(entries, ({ signalId, slotId, committedAt, revealed, judged }) => {
    // This service wrote both entries, so their form is known.
    const { signal, simulated } = JSON.parse(revealed) as RevealContent;
    const outcome = JSON.parse(judged) as OutcomeContent;
    const closesAt = new Date(signal.closes_at);
    const entered: CommitmentTiming = { committedAt, ts: new Date(signal.ts), closesAt, simulated };
    decided.push({ signalId, slotId, ts: entered.ts, inTime: isCommittedInTime(entered) });
    const modelV = signal.model_v;
    const stream = `${slotId}/${modelV}`;
    const day = signal.closes_at.slice(0, 10);
    if (isEnteredLater(entered))
      late.add(`${stream}/${day}`, { slotId, modelV, day, sums: lateSums(signal, outcome) });
    if (outcome.label === null || !isCounted(entered)) return;
    const history = histories.of(slotId, ALL_MODELS);
    if (!markFirstOfCandle(history, closesAt)) return;
    const added = scoreNextSignal(
      resolvedOf(signal, outcome.label, outcome, entered),
      busy.of(slotId, modelV),
      history,
    );
    const ofDay = { slotId, modelV, day };
    const key = `${stream}/${day}`;
    days.add(key, { ...ofDay, sums: { ...added.forecast } });
    for (const { forecaster, sums } of added.results)
      results.add(`${key}/${forecaster}`, { ...ofDay, forecaster, sums: { ...sums } });
    for (const { forecaster, bin, sums } of added.bins)
      bins.add(`${key}/${forecaster}/${bin}`, { ...ofDay, forecaster, bin, sums: { ...sums } });
  });
  await recordCommittedInTime(tx, decided);
  await addToRecord(tx, { days: days.rows, results: results.rows, bins: bins.rows, late: late.rows });
  await saveOverlapStates(tx, [...busy.rows(), ...histories.rows()]);
  return decided;
}

function resolvedOf(
  signal: RevealContent["signal"],
  label: Direction,
  outcome: OutcomeContent,
  { ts, closesAt }: CommitmentTiming,
): ResolvedLedgerSignal {
  return {
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    ts,
    modelV: signal.model_v,
    signal: signal.signal,
    probs: [signal.prob_buy, signal.prob_sell, signal.prob_no],
    label,
    buyR: outcome.buy_r,
    sellR: outcome.sell_r,
    costR: outcome.cost_r,
    hasOwnLevels: outcome.rule === LEVELS_RULE_VERSION,
    closesS: closesAt.getTime() / SECOND_MS,
    horizonEndS: Date.parse(outcome.horizon_end) / SECOND_MS,
  };
}

/** What a signal that was entered later adds to the sums of such signals, which are kept apart from the record. */
function lateSums({ signal }: RevealContent["signal"], outcome: OutcomeContent): RecordLateRow["sums"] {
  const isFollowed = outcome.label !== null && signal !== "NO_TRADE";
  const r = isFollowed ? (signal === "BUY" ? outcome.buy_r : outcome.sell_r) : 0;
  return { n: 1, nFollowed: isFollowed ? 1 : 0, wins: r > 0 ? 1 : 0, losses: r < 0 ? 1 : 0, r };
}

/** Values by slot and model that a batch reads, updates and stores as lists of numbers. */
class Held<T> {
  readonly #held = new Map<string, { slotId: number; modelV: string; value: T }>();

  constructor(
    readonly read: (key: string) => T,
    readonly write: (value: T) => readonly number[],
  ) {}

  of(slotId: number, modelV: string): T {
    const key = `${slotId}/${modelV}`;
    const held = this.#held.get(key) ?? { slotId, modelV, value: this.read(key) };
    this.#held.set(key, held);
    return held.value;
  }

  rows(): OverlapState[] {
    return [...this.#held.values()].map(({ slotId, modelV, value }) => ({
      slotId,
      modelV,
      busyUntil: this.write(value).join(","),
    }));
  }
}

/** Rows by key. Rows of the same key are added up. */
class Sums<R extends { sums: Record<string, number> }> {
  readonly #rows = new Map<string, R>();

  add(key: string, row: R): void {
    const held = this.#rows.get(key);
    if (held === undefined) {
      this.#rows.set(key, row);
      return;
    }
    const sums: Record<string, number> = held.sums;
    for (const [name, value] of Object.entries(row.sums)) sums[name] = (sums[name] ?? 0) + value;
  }

  get rows(): R[] {
    return [...this.#rows.values()];
  }
}
