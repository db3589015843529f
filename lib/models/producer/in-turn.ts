import pLimit from "p-limit";

/**
 * Runs a task that computes and stores a slot's signals after all earlier such tasks. A transaction that stayed open
 * while another slot is computed would hold the lock that all writers of signals need.
 */
export const runSlotsInTurn = pLimit(1);
