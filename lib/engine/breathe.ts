/**
 * Called every few milliseconds by long computations. It may block to give the processor to other work, and
 * changes no result.
 */
export type Breathe = () => void;

/** Never pauses: for processes without other work, such as commands. */
export const withoutPause: Breathe = () => undefined;
