/** How many go on before everything else that waits in the process has its turn. */
const PER_TURN = 4;

/**
 * Lets callers go on a few at a time, with a turn of the event loop between: a crowd of cheap answers, each sent as soon
 * as it is asked for, would otherwise hold up every other request for as long as all of them take together.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  take(): Promise<void> {
    return new Promise((goOn) => {
      this.#waiting.push(goOn);
      if (this.#waiting.length === 1) setImmediate(this.#next);
    });
  }

  readonly #next = (): void => {
    for (const goOn of this.#waiting.splice(0, PER_TURN)) goOn();
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}
