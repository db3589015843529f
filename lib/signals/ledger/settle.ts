import { randomBytes } from "node:crypto";
import type { Database, Handle } from "@/db/client";
import { findHistoryStart, readCandles } from "@/db/queries/candles";
import {
  appendEntries,
  findSealed,
  type LedgerSignal,
  listSettledSignals,
  listUnenteredSignals,
  lockLedger,
  type PlacedSignal,
  placeSignals,
  readNodes,
  saveSealed,
  takeDue,
} from "@/db/queries/ledger";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import type { CandleSeries } from "@/lib/market/candles";
import { groupBy } from "@/lib/runtime/group-by";
import { inPieces } from "@/lib/runtime/in-pieces";
import { foldIntoRecord } from "@/lib/signals/record/fold";
import { isSimulated } from "@/lib/signals/record/is-simulated";
import { addMs, SECOND_MS } from "@/lib/time";
import { writeInstant } from "@/lib/wire/json";
import { canonicalJson } from "./canonical-json";
import { type Content, candleRange, commitment, dueContent, outcome, reveal } from "./contents";
import { listDelays } from "./delays";
import { append, leafHash, peaksOf } from "./merkle-tree";

/** Few enough that no step of a turn keeps others in this process waiting. */
const SIGNALS_PER_TURN = 1_000;
const DUE_PER_TURN = 1_000;
/** Candles ahead of a slot's first signal that are sealed with it: by them its ATR is the same wherever it starts. */
const HISTORY_CANDLES = 500;
const CANDLES_PER_ENTRY = 5_000;

/**
 * Enters into the ledger what is new, in the order of commit, and adds the outcomes among it to the record, both in one
 * transaction a turn. Only one at a time can: the ledger's state is locked. `afterTurn` runs after each. Returns how many
 * entries were made.
 */
export async function settle(
  database: Database,
  signal?: AbortSignal,
  afterTurn: () => Promise<unknown> = async () => undefined,
): Promise<number> {
  let entered = 0;
  while (!signal?.aborted) {
    const turn = await database.transaction((tx) => settleTurn(tx));
    entered += turn.entries;
    await afterTurn();
    if (turn.isLast) break;
  }
  return entered;
}

async function settleTurn(tx: Handle): Promise<{ entries: number; isLast: boolean }> {
  const state = await lockLedger(tx);
  const horizonCandles = OUTCOME_RULE.horizonCandles;
  const due = await takeDue(tx, DUE_PER_TURN);
  const settled = await listSettledSignals(tx, { limit: SIGNALS_PER_TURN, horizonCandles });
  const found = await listUnenteredSignals(tx, {
    after: state.lastSeq,
    limit: SIGNALS_PER_TURN,
    horizonCandles,
  });
  const lastSeq = found.at(-1)?.seq ?? state.lastSeq;
  // A signal that was made after the fact is a backtest; on a simulated market everything is, and says so.
  const fresh = found.filter((one) => !one.backfilled || isSimulated(one));
  const waiting = fresh.filter(({ isOpen }) => isOpen);
  const committed = waiting
    .filter((one) => state.now < earliestEnd(one))
    .map((one) => ({ ...one, salt: randomBytes(32).toString("hex") }));
  const resolved = [...settled, ...fresh.filter(({ isOpen }) => !isOpen)].toSorted(
    (a, b) => a.closesAt.getTime() - b.closesAt.getTime() || a.seq - b.seq,
  );

  const book = new Book(state.size);
  for (const row of due) book.add(dueContent(row));
  for (const content of await listDelays(tx, state.now)) book.add(content);
  const placed: PlacedSignal[] = committed.map((one) => ({
    ...placeOf(one),
    commitment: book.add(commitment(one, one.salt)),
  }));
  // Whose outcome may be known already proves nothing by a commitment: it is entered later.
  placed.push(...waiting.filter((one) => state.now >= earliestEnd(one)).map(placeOf));
  for (const content of await sealCandles(tx, resolved)) book.add(content);
  await inPieces(resolved, (one) =>
    placed.push({
      ...placeOf(one),
      reveal: book.add(reveal(one, isSimulated(one))),
      outcome: book.add(outcome(one)),
    }),
  );

  if (book.contents.length > 0 || lastSeq > state.lastSeq) {
    const at = new Date(Math.floor(state.now.getTime() / SECOND_MS) * SECOND_MS);
    const entries = await book.entries(at);
    const peaks = await readNodes(tx, peaksOf(state.size));
    const { completed } = append(
      state.size,
      peaks,
      entries.map((entry) => entry.leafHash),
    );
    await appendEntries(tx, { entries, nodes: completed, at, size: book.size, lastSeq });
    await placeSignals(tx, placed);
    await foldIntoRecord(tx, resolved);
  }
  return {
    entries: book.contents.length,
    isLast: due.length < DUE_PER_TURN && settled.length < SIGNALS_PER_TURN && found.length < SIGNALS_PER_TURN,
  };
}

/** When the horizon of a signal is over at the earliest: a closed market only makes it longer. */
const earliestEnd = ({ ts, closesAt }: LedgerSignal): Date =>
  addMs(closesAt, OUTCOME_RULE.horizonCandles * (closesAt.getTime() - ts.getTime()));

/** Contents in the order in which they will be entered. */
class Book {
  readonly contents: Content[] = [];
  readonly #from: number;

  constructor(from: number) {
    this.#from = from;
  }

  get size(): number {
    return this.#from + this.contents.length;
  }

  /** Returns the place of the entry. */
  add(content: Content): number {
    this.contents.push(content);
    return this.size - 1;
  }

  entries(at: Date) {
    return inPieces(this.contents, ({ kind, subject, body }, i) => {
      const content = canonicalJson({ ...body, kind, subject, at: writeInstant(at) });
      return { index: this.#from + i, kind, subject, content, leafHash: leafHash(content) };
    });
  }
}

const placeOf = ({ signalId, slotId, salt }: LedgerSignal): PlacedSignal => ({
  signalId,
  slotId,
  salt,
  commitment: null,
  reveal: null,
  outcome: null,
});

/** The candles that the outcomes of a turn rest on and that are not in the ledger yet, as hashes. */
async function sealCandles(tx: Handle, resolved: LedgerSignal[]): Promise<Content[]> {
  const contents: Content[] = [];
  const judged = resolved.filter((one) => one.outcome !== null);
  for (const [slotId, ofSlot] of groupBy(judged, (one) => one.slotId)) {
    const [first] = ofSlot;
    if (first === undefined) continue;
    const sealed = await findSealed(tx, slotId);
    const firstTs = new Date(Math.min(...ofSlot.map(({ ts }) => ts.getTime())));
    const from = await findHistoryStart(tx, slotId, { ts: firstTs, candles: HISTORY_CANDLES });
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
        contents.push(candleRange(first, slice(part, i, i + CANDLES_PER_ENTRY)));
    const times = whole.flatMap(({ ts }) => [ts[0] ?? 0, ts.at(-1) ?? 0]);
    if (times.length === 0) continue;
    await saveSealed(tx, slotId, {
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
