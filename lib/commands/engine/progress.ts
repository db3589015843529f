/** Interval of progress lines without a terminal, so that a file or pipe shows activity. */
const LINE_EVERY_MS = 10_000;

/** Progress and estimated remaining time: one line that is overwritten on a terminal, else an occasional line. */
export class Progress {
  private readonly startedMs = performance.now();
  private lineMs = this.startedMs;
  private done = 0;

  constructor(
    private readonly total: number,
    private readonly to: { isTTY?: boolean; write(text: string): unknown } = process.stderr,
  ) {}

  step(what: string): void {
    this.done++;
    const nowMs = performance.now();
    const leftS = ((nowMs - this.startedMs) / 1000 / this.done) * (this.total - this.done);
    const text = `${what}: ${this.done} of ${this.total}, about ${Math.ceil(leftS)} s left`;
    if (this.to.isTTY) this.writeOver(text);
    else if (nowMs - this.lineMs >= LINE_EVERY_MS) {
      this.lineMs = nowMs;
      this.to.write(`${text}\n`);
    }
  }

  clear(): void {
    if (this.to.isTTY) this.writeOver("");
  }

  private writeOver(text: string): void {
    this.to.write(`\r\u001b[K${text}`);
  }
}
