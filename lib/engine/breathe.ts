/**
 * Called every few milliseconds by long computations. It may block to give the processor to other work, and
 * changes no result.
 */
export type Breathe = () => void;

/** For computations that nothing else waits for. */
export const withoutPause: Breathe = () => undefined;
