import type { Database, Transaction } from "@/db/client";
import { listSignalsToPublish, type PublishedSignal, readLastSeq } from "@/db/queries/outbound-events";

/**
 * How signals are queued for the receivers of one channel (webhook endpoints, chats or recipients). Each receiver has a
 * cursor: the sequence number up to which signals were queued for it.
 */
export interface SignalQueueStrategy<F extends { signalsUpTo: number }> {
  /** Maximum number of receivers per transaction. */
  receiversPerTurn: number;
  /** Maximum number of signals per transaction. */
  signalsPerTurn: number;
  /** Maximum age of a signal in hours. */
  oldestHours: number;
  /** Locks and returns up to `limit` receivers whose cursor is not at `lastSeq`, the newest signal. */
  lockBehind(tx: Transaction, wanted: { lastSeq: number; limit: number }): Promise<F[]>;
  /** Whether a receiver wants signals at all. Default: true. */
  listens?(receiver: F): boolean;
  /** Queues the signals that each receiver wants; returns the number of new deliveries. */
  queue(tx: Transaction, receivers: readonly F[], signals: readonly PublishedSignal[]): Promise<number>;
  /** Advances the cursors of these receivers to `upTo`, at most to `lastSeq`. */
  advance(tx: Transaction, receivers: readonly F[], to: { upTo: number; lastSeq: number }): Promise<void>;
}

/**
 * Queues the signals after each receiver's cursor and advances the cursors in the same transaction, so that each signal
 * is queued once, even if this function runs twice or is killed. Returns the number of new deliveries.
 */
export async function queueSignalsPastCursors<F extends { signalsUpTo: number }>(
  database: Database,
  receivers: SignalQueueStrategy<F>,
): Promise<number> {
  for (let made = 0; ; ) {
    const turn = await database.transaction((tx) => queueTurn(tx, receivers));
    made += turn.made;
    if (!turn.more) return made;
  }
}

async function queueTurn<F extends { signalsUpTo: number }>(
  tx: Transaction,
  {
    receiversPerTurn,
    signalsPerTurn,
    oldestHours,
    lockBehind,
    listens = () => true,
    queue,
    advance,
  }: SignalQueueStrategy<F>,
): Promise<{ made: number; more: boolean }> {
  const lastSeq = await readLastSeq(tx);
  const behind = await lockBehind(tx, { lastSeq, limit: receiversPerTurn });
  if (behind.length === 0) return { made: 0, more: false };
  const listening = behind.filter(listens);
  let [made, upTo] = [0, lastSeq];
  if (listening.length > 0) {
    const listed = await listSignalsToPublish(tx, {
      after: Math.min(...listening.map(({ signalsUpTo }) => signalsUpTo)),
      upTo: lastSeq,
      limit: signalsPerTurn,
      hours: oldestHours,
    });
    upTo = listed.upTo;
    made = await queue(tx, listening, listed.signals);
  }
  await advance(tx, behind, { upTo, lastSeq });
  return { made, more: upTo < lastSeq || behind.length === receiversPerTurn };
}
