let last: Promise<unknown> = Promise.resolve();

/**
 * Lets slots be computed and recorded one after the other in this thread, while the candles of the next ones are read: a
 * transaction that is open while another slot is computed would hold the lock of all who write signals for as long.
 */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work);
  last = mine.catch(() => undefined);
  return mine;
}
