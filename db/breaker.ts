import { afterFreeTime } from "@/lib/time";

/** The database does not answer, or not within a limit. The rest of the service knows it by its code. */
export class SilentDatabaseError extends Error {
  readonly code = "DEADLINE";
  constructor() {
    super("the database did not answer in time");
    this.name = "SilentDatabaseError";
  }
}

/** After so long without an answer it is asked whether the database is there at all. */
export const SUSPICIOUS_MS = 500;
/** What waits is looked at so often. */
export const LOOK_EVERY_MS = 100;
/** Longest wait for the answer to a probe. */
const PROBE_LIMIT_MS = 700;
/** At most one probe a second, where others are answered or none is. */
const PROBE_EVERY_MS = 1_000;

/**
 * Knows whether the database answers, for the whole process.
 *
 * A statement that takes long says nothing by itself: it may be large. So whoever waits suspiciously long has the
 * database probed, over a connection that does nothing else. When nothing is answered meanwhile the breaker opens: everything
 * under way is given up, and everything new is refused at once, until a probe, one a second, is answered again.
 *
 * It is probed as well when others are answered: over connections that were made since, while what was open before fell
 * silent, and the connection of the probe with it (decision 353). So that connection is made with the first answer.
 */
export class Breaker {
  #isOpen = false;
  #isProbing = false;
  #next: NodeJS.Timeout | undefined;
  #probedAt = Number.NEGATIVE_INFINITY;
  #answeredAt = Number.NEGATIVE_INFINITY;
  readonly #listeners = new Set<() => void>();
  readonly #silenceListeners = new Set<(since: number) => void>();

  /** `probe` asks the database and resolves with whether it is there; `tooLate` says that nothing waits for it any more. */
  constructor(readonly probe: (tooLate: AbortSignal) => Promise<boolean>) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Calls `listener` each time the breaker opens, until the returned function is called. */
  onOpen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls `listener` each time one connection fell silent while the database may be there, until the returned function
   * is called. `since` is when the unanswered question was asked: whatever was open then may be silent as well.
   */
  onSilence(listener: (since: number) => void): () => void {
    this.#silenceListeners.add(listener);
    return () => this.#silenceListeners.delete(listener);
  }

  /** A question that was asked at `since` was given up. */
  noteSilence(since: number): void {
    for (const listener of [...this.#silenceListeners]) listener(since);
  }

  /** The database has answered something. */
  noteAnswer(): void {
    const isFirst = this.#answeredAt === Number.NEGATIVE_INFINITY;
    this.#answeredAt = performance.now();
    if (isFirst) void this.#findOut();
  }

  /** Something has waited long: finds out whether the database answers, and over which connections. */
  suspect(): void {
    if (this.#isOpen) return;
    if (this.#isAnswering() && performance.now() - this.#probedAt < PROBE_EVERY_MS) return;
    void this.#findOut();
  }

  /** What `ask` returns, or SilentDatabaseError as soon as the database is known to be silent. */
  async during<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#isOpen) throw new SilentDatabaseError();
    let forget = () => {};
    const askedAt = performance.now();
    // Again and again: what was answered a moment after the question hides the first suspicion.
    const suspicion = setInterval(() => {
      if (performance.now() - askedAt >= SUSPICIOUS_MS) this.suspect();
    }, LOOK_EVERY_MS);
    try {
      const silence = new Promise<never>((_, fail) => {
        forget = this.onOpen(() => fail(new SilentDatabaseError()));
      });
      const answer = await Promise.race([ask(), silence]);
      this.noteAnswer();
      return answer;
    } finally {
      clearInterval(suspicion);
      forget();
    }
  }

  #isAnswering(): boolean {
    return performance.now() - this.#answeredAt < SUSPICIOUS_MS;
  }

  /** Probes until it is answered. */
  async #findOut(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    clearTimeout(this.#next);
    const startedAt = performance.now();
    this.#probedAt = startedAt;
    const isThere = await this.#probeInTime();
    if (isThere) this.noteAnswer();
    this.#isProbing = false;
    // Any other answer counts as well: on a busy machine the probe may be the one that is late.
    if (this.#answeredAt >= startedAt) this.#isOpen = false;
    if (isThere) return;
    const pauseMs = Math.max(100, PROBE_EVERY_MS - (performance.now() - startedAt));
    this.#next = setTimeout(() => void this.#findOut(), pauseMs).unref();
    if (this.#isOpen || this.#answeredAt >= startedAt || this.#isAnswering()) return;
    this.#isOpen = true;
    for (const listener of [...this.#listeners]) listener();
  }

  async #probeInTime(): Promise<boolean> {
    const tooLate = new AbortController();
    let callOff = () => {};
    const silence = new Promise<boolean>((resolve) => {
      callOff = afterFreeTime(PROBE_LIMIT_MS, () => resolve(false));
    });
    const isThere = await Promise.race([this.probe(tooLate.signal).catch(() => false), silence]);
    callOff();
    if (!isThere) tooLate.abort();
    return isThere;
  }
}
