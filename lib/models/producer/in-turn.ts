import pLimit from "p-limit";

/**
 * Lets slots be computed and recorded one after the other in this thread, while the candles of the next ones are read: a
 * transaction that is open while another slot is computed would hold the lock of all who write signals for as long.
 */
export const inTurn = pLimit(1);
