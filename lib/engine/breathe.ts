/**
 * Called by long computations between pieces of a few milliseconds. It may block, so that others get the processor; it
 * changes no result.
 */
export type Breathe = () => void;

/** For a computation that has the machine to itself. */
export const withoutPause: Breathe = () => undefined;
