import pLimit from "p-limit";

/**
 * Runs tasks that compute and store a slot's signals one after the other. If another slot were computed while a task's
 * transaction is open, the transaction would hold the lock that all writers of signals need for longer.
 */
export const runOneSlotAtATime = pLimit(1);
