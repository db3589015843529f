import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";

/** Response time in milliseconds above which an answer counts as late. */
export const MAX_RESPONSE_MS = 3_000;
/** Client timeout. */
const PATIENCE_MS = 10_000;

/** Start and end of an attempt by this process's clock, and its result. */
export interface Attempt {
  from: number;
  until: number;
  /** Request and result, such as `/api/executions 503 unavailable`. */
  outcome: string;
}

/** Response times of one client, and its repetitions. */
export class ResponseTimes {
  attempts = 0;
  /** Failed attempts: refused, broken off, without an answer in time, or answered with 429 or 5xx. */
  failed = 0;
  longestMs = 0;
  /** Request and result of the slowest attempt. */
  longest = "";
  /** Attempts that took longer than MAX_RESPONSE_MS. */
  readonly lateOnes: Attempt[] = [];
  /** Maximum number of repetitions of one request. */
  mostRepeats = 0;
  /** All failed attempts of each request that needed more than one repetition. */
  readonly repeatedTwice: Attempt[][] = [];
}

/** Pause before a repetition without Retry-After. */
const PAUSE_MS = 50;

/** Sends a request until it is acknowledged, like a careful client. */
export class RetryingClient {
  readonly waits = new ResponseTimes();
  running = true;
  #pauseMs = PAUSE_MS;
  #outcome = "";

  constructor(
    /** The server's address; `turn` increases with each repetition of a request. */
    readonly address: (turn: number) => string,
    /** Waits for Retry-After before a repetition; otherwise for 50 ms, like an impatient client. */
    readonly heedsRetryAfter = false,
  ) {}

  /** The JSON of the first 2xx answer; null if the client was stopped before. Throws at a 4xx answer other than 429. */
  async send(path: string, request: RequestInit, turn: number): Promise<Record<string, unknown> | null> {
    const failures: Attempt[] = [];
    for (let repeats = 0; ; repeats++) {
      this.waits.mostRepeats = Math.max(this.waits.mostRepeats, repeats);
      if (repeats === 2) this.waits.repeatedTwice.push(failures);
      const from = performance.now();
      const answer = await this.#attempt(this.address(turn + repeats) + path, request);
      if (answer !== null) return answer;
      failures.push({ from, until: performance.now(), outcome: this.#outcome });
      this.waits.failed++;
      if (!this.running) return null;
      await pause(this.#pauseMs);
    }
  }

  async #attempt(url: string, request: RequestInit): Promise<Record<string, unknown> | null> {
    const startedAt = performance.now();
    let outcome = "no answer";
    this.#pauseMs = PAUSE_MS;
    try {
      this.waits.attempts++;
      const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(PATIENCE_MS) });
      const body = await answer.text();
      outcome = answer.ok
        ? String(answer.status)
        : `${answer.status} ${/"code":"(\w+)"/.exec(body)?.[1] ?? ""}`;
      if (this.heedsRetryAfter)
        this.#pauseMs = Math.max(PAUSE_MS, Number(answer.headers.get("retry-after")) * 1_000);
      if (answer.ok) return JSON.parse(body);
      if (answer.status < 500 && answer.status !== 429) throw new Refused(`${answer.status} ${body}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
      // The connection was refused or broken off, or no answer came in time: repeat.
    } finally {
      const until = performance.now();
      this.#outcome = `${new URL(url).pathname} ${outcome}`;
      if (until - startedAt > this.waits.longestMs) {
        this.waits.longestMs = until - startedAt;
        this.waits.longest = this.#outcome;
      }
      if (until - startedAt > MAX_RESPONSE_MS)
        this.waits.lateOnes.push({ from: startedAt, until, outcome: this.#outcome });
    }
    return null;
  }
}

class Refused extends Error {}

/** A trading client that reports positions, opening and closing one after the other, and records what was acknowledged. */
export class JournalledClient {
  readonly opened = new Set<string>();
  readonly closed = new Map<string, string>();
  /** Tickets whose creation was acknowledged more than once. */
  readonly doubled: string[] = [];
  readonly #client: RetryingClient;
  #ticket = 1;
  #done: Promise<void> = Promise.resolve();

  constructor(
    address: (turn: number) => string,
    readonly key: string,
    heedsRetryAfter = false,
  ) {
    this.#client = new RetryingClient(address, heedsRetryAfter);
  }

  get waits(): ResponseTimes {
    return this.#client.waits;
  }

  get acknowledged(): number {
    return this.opened.size + this.closed.size;
  }

  start(): void {
    this.#done = this.#trade();
  }

  async stop(): Promise<void> {
    this.#client.running = false;
    await this.#done;
  }

  async #trade(): Promise<void> {
    while (this.#client.running) {
      const ticket = String(this.#ticket++);
      const opening = { ticket, symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: "1.1" };
      if (await this.#report(ticket, opening)) this.opened.add(ticket);
      const pnl = `${this.#ticket % 7}.25`;
      const closing = { ...opening, closed_at: "2026-11-20T10:00:00Z", exit_price: "1.2", pnl, result: "TP" };
      if (await this.#report(ticket, closing)) this.closed.set(ticket, pnl);
    }
  }

  async #report(ticket: string, body: object): Promise<boolean> {
    const request = { method: "POST", headers: { "X-API-Key": this.key }, body: JSON.stringify(body) };
    const answer = await this.#client.send("/api/executions", request, Number(ticket));
    if (answer?.action === "created" && this.opened.has(ticket)) this.doubled.push(ticket);
    return answer !== null;
  }

  /** Compares the acknowledged reports with the subscriber's rows. Throws on the first lost, changed or duplicate one. */
  async judge(sql: postgres.Sql, subscriptionId: number): Promise<void> {
    const rows = await sql<{ ticket: string; pnl: string | null }[]>`
      select ticket::text, pnl::text from executions where subscription_id = ${subscriptionId}`;
    const stored = new Map(rows.map((row) => [row.ticket, row.pnl]));
    if (stored.size !== rows.length) throw new Error("a ticket is in the table twice");
    for (const ticket of this.opened) if (!stored.has(ticket)) throw new Error(`opening ${ticket} was lost`);
    for (const [ticket, pnl] of this.closed) {
      if (stored.get(ticket) !== pnl)
        throw new Error(`closing ${ticket} was lost: ${stored.get(ticket)} for ${pnl}`);
    }
    if (this.doubled.length > 0) throw new Error(`created twice: ${this.doubled.join(", ")}`);
  }
}
