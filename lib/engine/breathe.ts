/**
 * Long computations call it every few milliseconds. It may block, so that other work gets the processor. It changes no
 * result.
 */
export type Breathe = () => void;

/** For a computation that has the machine to itself. */
export const withoutPause: Breathe = () => undefined;
