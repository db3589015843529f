/** The times and the kind of market by which {@link isCommittedInTime} decides. */
export interface CommitmentTiming {
  /** When the signal's commitment was entered into the ledger; null: no commitment. */
  committedAt: Date | null;
  /** Open time of the signal's candle; `closesAt` is its close time. */
  ts: Date;
  closesAt: Date;
  /** Whether the market is simulated; its signals never count as committed in time. */
  simulated: boolean;
}

/**
 * Whether a signal was committed in time: its commitment was entered less than the length of its candle after the
 * candle closed, and the market is not simulated.
 */
export const isCommittedInTime = ({ committedAt, ts, closesAt, simulated }: CommitmentTiming): boolean =>
  !simulated &&
  committedAt !== null &&
  committedAt.getTime() < closesAt.getTime() + (closesAt.getTime() - ts.getTime());
