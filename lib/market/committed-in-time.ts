/** When a signal was entered, and its candle. */
export interface CommitmentTiming {
  /** Entry time of its commitment, by the database's clock; null: no commitment. */
  committedAt: Date | null;
  /** Open and close of its candle. */
  ts: Date;
  closesAt: Date;
  /** A simulated market: its signals are never committed in time. */
  simulated: boolean;
}

/**
 * Whether a signal was committed in time: its commitment was entered less than one timeframe after its candle
 * closed. It depends on ledger entries that never change, so everyone gets the same answer.
 */
export const isCommittedInTime = ({ committedAt, ts, closesAt, simulated }: CommitmentTiming): boolean =>
  !simulated &&
  committedAt !== null &&
  committedAt.getTime() < closesAt.getTime() + (closesAt.getTime() - ts.getTime());
