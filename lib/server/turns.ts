/**
 * Lets callers go on one at a time, with a turn of the event loop between: a crowd of cheap answers, each sent as soon as it
 * is asked for, would otherwise hold up every other request for as long as all of them take together.
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
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}
