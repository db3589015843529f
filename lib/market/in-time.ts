/** When a signal was entered, and the candle that it was made from. */
export interface Entered {
  /** When its commitment was entered, by the database's clock; null: there is none. */
  committedAt: Date | null;
  /** Open and close of its candle. */
  ts: Date;
  closesAt: Date;
  /** The market is simulated: nothing there can be committed in time. */
  simulated: boolean;
}

/**
 * Whether a signal was committed in time: its commitment was entered less than one length of its timeframe after its
 * candle closed. It is made of entries that never change, so that anyone comes to the same answer.
 */
export const isInTime = ({ committedAt, ts, closesAt, simulated }: Entered): boolean =>
  !simulated &&
  committedAt !== null &&
  committedAt.getTime() < closesAt.getTime() + (closesAt.getTime() - ts.getTime());
