import { randomBytes } from "node:crypto";
import type { Database, DatabaseHandle } from "@/db/client";
import { findTimeNCandlesBefore, readCandles } from "@/db/queries/candles";
import {
  advanceLedger,
  appendLedgerEntries,
  type LedgerSignal,
  type LedgerState,
  listUndecidedCommitments,
  listUnenteredOutcomes,
  listUnenteredSignals,
  lockLedger,
  lockSealedCandleRange,
  readSubtreeHashes,
  recordCommittedInTime,
  type SignalLedgerEntries,
  saveSealedCandleRange,
  saveSignalLedgerEntries,
  takeLedgerOutboxRows,
} from "@/db/queries/ledger";
import { clearRecord, countEnteredLater, listUnaccumulatedOutcomes } from "@/db/queries/record";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import type { CandleSeries } from "@/lib/market/candles";
import { isCommittedInTime } from "@/lib/market/committed-in-time";
import { groupBy } from "@/lib/runtime/group-by";
import { log } from "@/lib/runtime/log";
import { yieldingMap } from "@/lib/runtime/yielding-map";
import { accumulateOutcomes } from "@/lib/signals/record/accumulate";
import { isSimulated } from "@/lib/signals/record/is-simulated";
import { countingRule } from "@/lib/signals/record/record-rule";
import { recountCoverage } from "@/lib/signals/record/recount-coverage";
import { addMs, SECOND_MS } from "@/lib/time";
import { writeInstant } from "@/lib/wire/json";
import { canonicalJson } from "./canonical-json";
import {
  candlesContent,
  commitmentContent,
  type LedgerContent,
  ledgerOutboxContent,
  outcomeContent,
  revealContent,
} from "./contents";
import { listDelayContents } from "./delays";
import { listKeyHandOverContents } from "./hand-over";
import { appendTreeLeaves, leafHash, peaksOf } from "./merkle-tree";

/** Maximum number of signals per turn, so that no step of it blocks this process for long. */
const SIGNALS_PER_TURN = 1_000;
const DUE_PER_TURN = 1_000;
/** Outcomes added to the record per turn: as many as one turn can enter, so that the sums keep up. */
const ACCUMULATED_PER_TURN = 2 * SIGNALS_PER_TURN;
/**
 * Number of candles before a slot's first signal that are hashed into the ledger with it, so that others compute the
 * same ATR wherever their series starts.
 */
const HISTORY_CANDLES = 500;
const CANDLES_PER_ENTRY = 5_000;

/**
 * Enters new signals and outcomes into the ledger, and adds the outcomes to the sums of the public record. Works in
 * turns, each in one transaction, after which `afterTurn` runs. The locked state row allows one process at a time. Sums
 * that were made under another counting rule are rebuilt, in turns, from the ledger's first entry. Returns the number
 * of new entries.
 */
export async function enterIntoLedger(
  database: Database,
  signal?: AbortSignal,
  afterTurn: () => Promise<unknown> = async () => undefined,
): Promise<number> {
  let entered = 0;
  while (!signal?.aborted) {
    const turn = await database.transaction((tx) => settleTurn(tx));
    entered += turn.entries;
    if (turn.enteredLater !== null)
      log("info", "the record was recomputed: signals entered later are not counted", {
        count: turn.enteredLater,
      });
    await afterTurn();
    if (turn.isLast) break;
  }
  return entered;
}

async function settleTurn(
  tx: DatabaseHandle,
): Promise<{ entries: number; isLast: boolean; enteredLater: number | null }> {
  const state = await currentState(tx);
  const horizonCandles = OUTCOME_RULE.horizonCandles;
  const due = await takeLedgerOutboxRows(tx, DUE_PER_TURN);
  const settled = await listUnenteredOutcomes(tx, { limit: SIGNALS_PER_TURN, horizonCandles });
  const found = await listUnenteredSignals(tx, {
    after: state.lastSeq,
    limit: SIGNALS_PER_TURN,
    horizonCandles,
  });
  const lastSeq = found.at(-1)?.seq ?? state.lastSeq;
  // Signals made after the fact are backtests, except on a simulated market, which is marked as such. The record
  // counts only signals that subscribers were shown, so signals of a second model are not entered.
  const fresh = found.filter((one) => !one.beside && (!one.backfilled || isSimulated(one)));
  const waiting = fresh.filter(({ isOpen }) => isOpen);
  const committed = waiting
    .filter((one) => state.now < earliestEnd(one))
    .map((one) => ({ ...one, salt: randomBytes(32).toString("hex") }));
  const resolved = [...settled, ...fresh.filter(({ isOpen }) => !isOpen)].toSorted(
    (a, b) => a.closesAt.getTime() - b.closesAt.getTime() || a.seq - b.seq,
  );

  const at = new Date(Math.floor(state.now.getTime() / SECOND_MS) * SECOND_MS);
  const book = new Book(state.size);
  for (const row of due) book.add(ledgerOutboxContent(row));
  for (const content of await listDelayContents(tx, state.now)) book.add(content);
  for (const content of await listKeyHandOverContents(tx)) book.add(content);
  const placed: (SignalLedgerEntries & { ts: Date })[] = committed.map((one) => ({
    ...placeOf(one),
    commitment: book.add(commitmentContent(one, one.salt)),
    inTime: isCommittedInTime({ ...one, committedAt: at, simulated: isSimulated(one) }),
  }));
  // A commitment proves nothing once the outcome may be known: such a signal is entered later.
  placed.push(...waiting.filter((one) => state.now >= earliestEnd(one)).map(placeOf));
  for (const content of await sealCandles(tx, resolved)) book.add(content);
  await yieldingMap(resolved, (one) =>
    placed.push({
      ...placeOf(one),
      reveal: book.add(revealContent(one, wasSimulated(one))),
      outcome: book.add(outcomeContent(one)),
    }),
  );

  if (book.contents.length > 0) {
    const entries = await book.entries(at);
    const peaks = await readSubtreeHashes(tx, peaksOf(state.size));
    const { completed } = appendTreeLeaves(
      state.size,
      peaks,
      entries.map((entry) => entry.leafHash),
    );
    await appendLedgerEntries(tx, { entries, nodes: completed, at });
  }
  await saveSignalLedgerEntries(tx, placed);
  const unaccumulated =
    state.folded < book.size
      ? await listUnaccumulatedOutcomes(tx, { from: state.folded, limit: ACCUMULATED_PER_TURN })
      : [];
  const isAccumulated = unaccumulated.length < ACCUMULATED_PER_TURN;
  const folded = isAccumulated ? book.size : (unaccumulated.at(-1)?.outcome ?? 0) + 1;
  if (folded > state.folded || lastSeq > state.lastSeq)
    await advanceLedger(tx, { at, size: book.size, lastSeq, folded });
  const decided = await accumulateOutcomes(tx, unaccumulated);
  const waitingNow = placed.filter(({ outcome }) => outcome === null);
  await recountCoverage(tx, { touched: [...waitingNow, ...decided], now: state.now });
  return {
    entries: book.contents.length,
    isLast:
      isAccumulated &&
      due.length < DUE_PER_TURN &&
      settled.length < SIGNALS_PER_TURN &&
      found.length < SIGNALS_PER_TURN,
    // Only the last step of a rebuild reports the count.
    enteredLater: isAccumulated && state.folded < state.size ? await countEnteredLater(tx) : null,
  };
}

/** Locks the ledger and returns its state. Clears the record's sums if they were made under another counting rule. */
async function currentState(tx: DatabaseHandle): Promise<LedgerState> {
  const state = await lockLedger(tx);
  if (state.recordRule === countingRule()) return state;
  await clearRecord(tx, countingRule());
  const open = await listUndecidedCommitments(tx);
  await recordCommittedInTime(
    tx,
    open.map((one) => ({ ...one, inTime: isCommittedInTime({ ...one, simulated: isSimulated(one) }) })),
  );
  return { ...state, folded: 0 };
}

/** Earliest possible end of a signal's horizon. A closed market can only delay it. */
const earliestEnd = ({ ts, closesAt }: LedgerSignal): Date =>
  addMs(closesAt, OUTCOME_RULE.horizonCandles * (closesAt.getTime() - ts.getTime()));

/** The entries of a turn, in order, numbered from the ledger's size. */
class Book {
  readonly contents: LedgerContent[] = [];
  readonly #from: number;

  constructor(from: number) {
    this.#from = from;
  }

  get size(): number {
    return this.#from + this.contents.length;
  }

  /** Returns the entry's position. */
  add(content: LedgerContent): number {
    this.contents.push(content);
    return this.size - 1;
  }

  entries(at: Date) {
    return yieldingMap(this.contents, ({ kind, subject, body }, i) => {
      const content = canonicalJson({ ...body, kind, subject, at: writeInstant(at) });
      return { index: this.#from + i, kind, subject, content, leafHash: leafHash(content) };
    });
  }
}

/**
 * Whether a signal was made on a simulated market. For a signal in the ledger this was stored with its first entry,
 * because the feed may change before its outcome.
 */
const wasSimulated = (one: LedgerSignal): boolean => one.wasSimulated ?? isSimulated(one);

const placeOf = (one: LedgerSignal): SignalLedgerEntries & { ts: Date } => ({
  signalId: one.signalId,
  slotId: one.slotId,
  ts: one.ts,
  salt: one.salt,
  simulated: wasSimulated(one),
  inTime: false,
  commitment: null,
  reveal: null,
  outcome: null,
});

/**
 * Entries with the hashes of the candles behind a turn's outcomes and of all later candles of their slots, as far as
 * they are not in the ledger yet.
 */
async function sealCandles(tx: DatabaseHandle, resolved: LedgerSignal[]): Promise<LedgerContent[]> {
  const contents: LedgerContent[] = [];
  const judged = resolved.filter((one) => one.outcome !== null);
  for (const [slotId, ofSlot] of groupBy(judged, (one) => one.slotId)) {
    const [first] = ofSlot;
    if (first === undefined) continue;
    const sealed = await lockSealedCandleRange(tx, slotId);
    const firstTs = new Date(Math.min(...ofSlot.map(({ ts }) => ts.getTime())));
    const from = await findTimeNCandlesBefore(tx, slotId, { ts: firstTs, candles: HISTORY_CANDLES });
    const parts =
      sealed === null
        ? [await readCandles(tx, slotId, { from })]
        : [
            ...(from < sealed.from ? [await readCandles(tx, slotId, { from, to: sealed.from })] : []),
            await readCandles(tx, slotId, { from: new Date(sealed.to.getTime() + 1) }),
          ];
    const whole = parts.filter(({ ts }) => ts.length > 0);
    for (const part of whole)
      for (let i = 0; i < part.ts.length; i += CANDLES_PER_ENTRY)
        contents.push(candlesContent(first, slice(part, i, i + CANDLES_PER_ENTRY)));
    const times = whole.flatMap(({ ts }) => [ts[0] ?? 0, ts.at(-1) ?? 0]);
    if (times.length === 0) continue;
    await saveSealedCandleRange(tx, slotId, {
      from: new Date(Math.min(...times, sealed?.from.getTime() ?? Number.POSITIVE_INFINITY)),
      to: new Date(Math.max(...times, sealed?.to.getTime() ?? 0)),
    });
  }
  return contents;
}

const slice = (candles: CandleSeries, from: number, to: number): CandleSeries => ({
  ts: candles.ts.slice(from, to),
  open: candles.open.slice(from, to),
  high: candles.high.slice(from, to),
  low: candles.low.slice(from, to),
  close: candles.close.slice(from, to),
  volume: candles.volume.slice(from, to),
});
