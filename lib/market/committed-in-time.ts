/** When a signal's commitment was entered into the ledger, and when its candle opened and closed. */
export interface CommitmentTiming {
  /** When the commitment was entered, by the database's clock; null: no commitment. */
  committedAt: Date | null;
  /** Open time of the signal's candle; `closesAt` is its close time. */
  ts: Date;
  closesAt: Date;
  /** Whether the market is simulated; its signals never count as committed in time. */
  simulated: boolean;
}

/**
 * Whether a signal was committed in time: its commitment was entered less than one timeframe after its candle
 * closed, and the market is not simulated. All but `simulated` comes from ledger entries, which never change.
 */
export const isCommittedInTime = ({ committedAt, ts, closesAt, simulated }: CommitmentTiming): boolean =>
  !simulated &&
  committedAt !== null &&
  committedAt.getTime() < closesAt.getTime() + (closesAt.getTime() - ts.getTime());
