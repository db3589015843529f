import type { Database, Transaction } from "@/db/client";
import { listSignalsToPublish, type PublishedSignal, readLastSeq } from "@/db/queries/outbound-events";

/** Those who are told of signals in one way, each up to a number of its own. */
export interface Followers<F extends { signalsUpTo: number }> {
  /** Followers and signals that one transaction takes, and how old a signal may be that is still told. */
  followersPerTurn: number;
  signalsPerTurn: number;
  oldestHours: number;
  /** Holds those whose number is not that of the last signal. */
  lockBehind(tx: Transaction, wanted: { lastSeq: number; limit: number }): Promise<F[]>;
  /** Whether it is told of signals at all. Default: it is. */
  listens?(follower: F): boolean;
  /** Queues what each wants; returns how much was new. */
  tell(tx: Transaction, followers: readonly F[], signals: readonly PublishedSignal[]): Promise<number>;
  move(tx: Transaction, followers: readonly F[], to: { upTo: number; lastSeq: number }): Promise<void>;
}

/**
 * Queues the signals that were committed since each follower's number, and moves the numbers in the same transaction: run
 * twice, or killed anywhere, it tells each signal once. Returns how much was new.
 */
export async function followSignals<F extends { signalsUpTo: number }>(
  database: Database,
  followers: Followers<F>,
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
  }: Followers<F>,
): Promise<{ made: number; more: boolean }> {
  const lastSeq = await readLastSeq(tx);
  const behind = await lockBehind(tx, { lastSeq, limit: followersPerTurn });
  if (behind.length === 0) return { made: 0, more: false };
  const listening = behind.filter(listens);
  let [made, upTo] = [0, lastSeq];
  if (listening.length > 0) {
    const told = await listSignalsToPublish(tx, {
      after: Math.min(...listening.map(({ signalsUpTo }) => signalsUpTo)),
      upTo: lastSeq,
      limit: signalsPerTurn,
      hours: oldestHours,
    });
    upTo = told.upTo;
    made = await tell(tx, listening, told.signals);
  }
  await move(tx, behind, { upTo, lastSeq });
  return { made, more: upTo < lastSeq || behind.length === followersPerTurn };
}
