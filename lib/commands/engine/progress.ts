/** One line on the terminal that is written over: what is done and about how long the rest will take. */
export class Progress {
  private readonly startedMs = performance.now();
  private done = 0;

  constructor(private readonly total: number) {}

  step(what: string): void {
    this.done++;
    const elapsedS = (performance.now() - this.startedMs) / 1000;
    const leftS = (elapsedS / this.done) * (this.total - this.done);
    this.write(`${what}: ${this.done} of ${this.total}, about ${Math.ceil(leftS)} s left`);
  }

  clear(): void {
    this.write("");
  }

  private write(text: string): void {
    // A file or a pipe gets no progress: it would only be noise there.
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  }
}
