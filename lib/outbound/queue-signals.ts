import type { Database, Transaction } from "@/db/client";
import { listSignalsToPublish, type PublishedSignal, readLastSeq } from "@/db/queries/outbound-events";

/**
 * The receivers of one channel (endpoints, chats or recipients). Each has a cursor: the last signal that was queued for it.
 */
export interface SignalReceivers<F extends { signalsUpTo: number }> {
  /** Receivers per transaction. The next two fields limit the signals per transaction, and the age of a signal. */
  followersPerTurn: number;
  signalsPerTurn: number;
  oldestHours: number;
  /** Locks receivers whose cursor is not at the last signal. */
  lockBehind(tx: Transaction, wanted: { lastSeq: number; limit: number }): Promise<F[]>;
  /** Whether a receiver wants signals at all. Default: true. */
  listens?(follower: F): boolean;
  /** Queues the signals that each receiver wants; returns the number of new deliveries. */
  tell(tx: Transaction, followers: readonly F[], signals: readonly PublishedSignal[]): Promise<number>;
  move(tx: Transaction, followers: readonly F[], to: { upTo: number; lastSeq: number }): Promise<void>;
}

/**
 * Queues the signals after each receiver's cursor and advances the cursors in the same transaction, so that each signal is
 * queued once, even if this function runs twice or is killed. Returns the number of new deliveries.
 */
export async function queueSignalsPastCursors<F extends { signalsUpTo: number }>(
  database: Database,
  followers: SignalReceivers<F>,
): Promise<number> {
  for (let made = 0; ; ) {
    const turn = await database.transaction((tx) => followTurn(tx, followers));
    made += turn.made;
    if (!turn.more) return made;
  }
}

async function followTurn<F extends { signalsUpTo: number }>(
  tx: Transaction,
  {
    followersPerTurn,
    signalsPerTurn,
    oldestHours,
    lockBehind,
    listens = () => true,
    tell,
    move,
  }: SignalReceivers<F>,
): Promise<{ made: number; more: boolean }> {
  const lastSeq = await readLastSeq(tx);
  const behind = await lockBehind(tx, { lastSeq, limit: followersPerTurn });
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
    made = await tell(tx, listening, listed.signals);
  }
  await move(tx, behind, { upTo, lastSeq });
  return { made, more: upTo < lastSeq || behind.length === followersPerTurn };
}
