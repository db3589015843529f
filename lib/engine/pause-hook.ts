/**
 * Called again and again by long computations. It may block to give the processor to other work, and changes no
 * result.
 */
export type PauseHook = () => void;

/** A hook that never pauses, for processes without other work, such as commands. */
export const neverPause: PauseHook = () => undefined;
