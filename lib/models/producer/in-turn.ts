import pLimit from "p-limit";

/**
 * Computes and stores slots one at a time in this thread while the candles of the next ones are read. A
 * transaction that stays open while another slot is computed would hold the lock of all signal writers.
 */
export const runSlotsInTurn = pLimit(1);
