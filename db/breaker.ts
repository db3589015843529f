import { setTimeout as pause } from "node:timers/promises";
import { afterTimerTicks } from "@/lib/time";

/** Thrown when the database did not answer within a time limit, and at once while the circuit breaker is open. */
export class UnresponsiveDatabaseError extends Error {
  readonly code = "DEADLINE";
  constructor() {
    super("the database did not answer in time");
    this.name = "UnresponsiveDatabaseError";
  }
}

/** The database is probed when some work has run this long and no work has succeeded for as long. */
const SUSPICIOUS_MS = 500;
const CHECK_EVERY_MS = 100;
/** Longest wait for the answer to a probe. */
const PROBE_LIMIT_MS = 700;
const PROBE_EVERY_MS = 1_000;

interface UnderWay {
  startedAt: number;
  limitMs: number;
  fail(error: Error): void;
}

/**
 * Circuit breaker: detects that the database does not answer, and then fails all work that waits for it.
 *
 * Slow work triggers a health probe while no other work succeeds. A probe without an answer, during which no work
 * succeeds either, opens the breaker: all work in progress fails at once and new work is refused. The probe is then
 * repeated every one to two seconds, and an answer closes the breaker. While probes are answered, only work that
 * exceeds its time limit fails.
 */
export class Breaker {
  #isOpen = false;
  #isProbing = false;
  #probedAt = Number.NEGATIVE_INFINITY;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** All work in progress, in the order of its start. */
  readonly #underWay = new Set<UnderWay>();
  #timer: NodeJS.Timeout | null = null;

  /** `probe` resolves once the database has answered. `onOpen` is called each time the breaker opens. */
  constructor(
    readonly probe: () => Promise<unknown>,
    readonly onOpen: () => void = () => undefined,
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Runs `work`. Throws UnresponsiveDatabaseError after `limitMs`, and at once if the breaker is open or opens. */
  async during<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    if (this.#isOpen) throw new UnresponsiveDatabaseError();
    const underWay: UnderWay = { startedAt: performance.now(), limitMs, fail: () => undefined };
    const silence = new Promise<never>((_, fail) => {
      underWay.fail = fail;
    });
    this.#underWay.add(underWay);
    // With setImmediate, so that answers that arrived while this process was busy are processed before the check.
    this.#timer ??= setInterval(() => setImmediate(() => this.#check()), CHECK_EVERY_MS);
    try {
      const answer = await Promise.race([work(), silence]);
      this.#answeredAt = performance.now();
      return answer;
    } finally {
      this.#underWay.delete(underWay);
      if (this.#underWay.size === 0 && this.#timer !== null) {
        clearInterval(this.#timer);
        this.#timer = null;
      }
    }
  }

  #check(): void {
    const now = performance.now();
    for (const { startedAt, limitMs, fail } of this.#underWay) {
      const ageMs = now - startedAt;
      if (ageMs >= limitMs) fail(new UnresponsiveDatabaseError());
      else if (ageMs >= SUSPICIOUS_MS && now - this.#answeredAt >= SUSPICIOUS_MS) this.#suspect(now);
    }
  }

  #suspect(now: number): void {
    if (this.#isProbing || now - this.#probedAt < PROBE_EVERY_MS) return;
    void this.#probeUntilAnswered();
  }

  async #probeUntilAnswered(): Promise<void> {
    this.#isProbing = true;
    while (!(await this.#isAnswered())) {
      if (!this.#isOpen) this.#open();
      await pause(PROBE_EVERY_MS, undefined, { ref: false });
    }
    this.#isProbing = false;
    this.#isOpen = false;
  }

  #open(): void {
    this.#isOpen = true;
    for (const { fail } of this.#underWay) fail(new UnresponsiveDatabaseError());
    this.onOpen();
  }

  async #isAnswered(): Promise<boolean> {
    const startedAt = performance.now();
    this.#probedAt = startedAt;
    let stop = () => {};
    const silence = new Promise<boolean>((done) => {
      stop = afterTimerTicks(PROBE_LIMIT_MS, () => done(false));
    });
    const probed = this.probe().then(
      () => true,
      () => false,
    );
    const isThere = await Promise.race([probed, silence]);
    stop();
    // Work that has succeeded meanwhile counts, too: on a busy machine only the probe may be late.
    return isThere || this.#answeredAt >= startedAt;
  }
}
