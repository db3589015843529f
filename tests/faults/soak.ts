import { setTimeout as pause } from "node:timers/promises";
import { signBody } from "@/lib/payments/signature";
import { load } from "@/tests/bench/load";
import { ProcessMemory, startedMb } from "@/tests/bench/memory";
import { makeKeys, startBenchService } from "@/tests/bench/service";
import { testEnvironment } from "@/tests/support/database";
import type { RunOptions } from "@/tests/support/run-named";
import { startProcess } from "@/tests/support/server";
import { signInByForm } from "@/tests/support/sign-in";
import { PAYMENT_SECRET } from "./payer";

const MINUTES = 2;
const MOST_MB_AN_HOUR = 5;
const MOST_MB = 300;
/** A slope of a shorter run says more about the start than about a leak. */
const JUDGED_FROM_MINUTES = 60;
const TICK_MS = 50;
const SAMPLE_MS = 2_000;
/** A run that is ended early has told how it went until then. */
const TOLD_EACH_MS = 600_000;
const PAGES = ["/", "/status", "/docs", "/portal", "/portal/signals", "/portal/executions", "/login"];
/** Requests that wait for their answers at once: past that the load is more than the process can do. */
const MOST_OPEN = 256;

/**
 * Half of what the process can answer, for `--minutes`: polls, reports, pages and webhooks, with a simulated market that
 * makes signals and trains models, in two processes as `deploy/` has them: one answers, one does the background jobs.
 * Prints how the memory of both went, and what the trainings took beside them.
 */
export async function soak(options: RunOptions): Promise<string[]> {
  const minutes = options.minutes ?? MINUTES;
  const settings = { MARKET_FEED: "demo", LOG_LEVEL: "warn", PAYMENT_WEBHOOK_SECRET: PAYMENT_SECRET };
  const service = await startBenchService({ ...settings, WORKER: "none", TRUST_PROXY_HOPS: "1" });
  const environment = testEnvironment(service.databaseUrl, settings);
  const worker = await startProcess("worker.mjs", environment, 0, () => true);
  try {
    const keys = await makeKeys(service.sql, 50, "pro");
    await service.sql`update api_keys set rate_limit_per_min = 100000`;
    const { url, pid } = service.server;
    const peak = await load({ url: `${url}/api/scan`, connections: 16, seconds: 5, keys });
    const perSecond = Math.round(peak.requestsPerSecond / 2);
    const cookie = await signInByForm(url, "/login/by-key", { api_key: keys[0] ?? "" });
    const traffic = new Traffic(url, keys, cookie, perSecond);
    const memories = [new ProcessMemory(pid), new ProcessMemory(worker.pid)];
    const until = performance.now() + minutes * 60_000;
    const driving = traffic.drive(until);
    const told = () =>
      memories.map((memory, n) => `memory of ${n === 0 ? "what answers" : "the worker"}: ${memory.told()}`);
    let trainingMb = 0;
    let toldAt = performance.now();
    while (performance.now() < until) {
      for (const memory of memories) memory.note();
      trainingMb = Math.max(trainingMb, startedMb(worker.pid));
      if (performance.now() - toldAt > TOLD_EACH_MS) {
        toldAt = performance.now();
        process.stdout.write(`  ${[traffic.told(), ...told()].join("\n  ")}\n`);
      }
      await pause(SAMPLE_MS);
    }
    await driving;
    const [trained] = await service.sql`select count(*)::int as n from trainings`;
    const lines = [
      `${minutes} min at ${perSecond} polls a second (half of ${Math.round(peak.requestsPerSecond)}): ${traffic.told()}, ${trained?.n} trainings`,
      ...told(),
      `a training, in a process of its own: ${trainingMb.toFixed(0)} MB at most`,
      ...(minutes < JUDGED_FROM_MINUTES ? [`memory is not judged below ${JUDGED_FROM_MINUTES} min`] : []),
    ];
    const isTooMuch =
      minutes >= JUDGED_FROM_MINUTES &&
      (trainingMb > MOST_MB || memories.some(({ slope, most }) => slope > MOST_MB_AN_HOUR || most > MOST_MB));
    if (isTooMuch || traffic.failures > 0) throw new Error(lines.join("\n"));
    return lines;
  } finally {
    await worker.kill();
    await service.stop();
  }
}

class Traffic {
  readonly #counts = new Map<string, number>();
  #open = 0;
  #turn = 0;
  #leftOut = 0;
  #lastFailure = "";
  failures = 0;

  constructor(
    readonly url: string,
    readonly keys: readonly string[],
    readonly cookie: string,
    readonly perSecond: number,
  ) {}

  async drive(until: number): Promise<void> {
    let owed = 0;
    while (performance.now() < until) {
      owed += (this.perSecond * TICK_MS) / 1000;
      for (; owed >= 1; owed--) this.#send();
      await pause(TICK_MS);
    }
    while (this.#open > 0) await pause(TICK_MS);
  }

  told(): string {
    const counts = [...this.#counts].map(([name, n]) => `${n} ${name}`).join(", ");
    return `${counts}; ${this.failures} failed${this.#lastFailure && ` (at last ${this.#lastFailure})`}, ${this.#leftOut} left out because ${MOST_OPEN} waited`;
  }

  #send(): void {
    if (this.#open >= MOST_OPEN) {
      this.#leftOut++;
      return;
    }
    const turn = this.#turn++;
    const key = this.keys[turn % this.keys.length] ?? "";
    if (turn % 400 === 0) void this.#ask("webhooks", "/webhooks/payment", this.#payment(turn));
    else if (turn % 100 === 1)
      void this.#ask("pages", PAGES[((turn / 100) % PAGES.length) | 0] ?? "/", {
        headers: { Cookie: this.cookie },
      });
    else if (turn % 8 === 2) void this.#ask("reports", "/api/executions", this.#report(turn, key));
    else void this.#ask("polls", "/api/scan", { headers: { "X-API-Key": key } });
  }

  async #ask(name: string, path: string, request: RequestInit): Promise<void> {
    this.#open++;
    const headers = { ...request.headers, "X-Forwarded-For": `10.${this.#turn % 200}.1.1` };
    try {
      const answer = await fetch(this.url + path, { ...request, headers, redirect: "manual" });
      await answer.arrayBuffer();
      if (answer.status >= 400) this.#fail(`${path} ${answer.status}`);
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    } catch {
      this.#fail(`${path} broken off`);
    } finally {
      this.#open--;
    }
  }

  #fail(how: string): void {
    this.failures++;
    this.#lastFailure = how;
  }

  #report(turn: number, key: string): RequestInit {
    const body = {
      ticket: 1 + (turn % 20_000),
      symbol: "EURUSD",
      timeframe: "H1",
      signal: "BUY",
      entry_price: 1.1,
    };
    return { method: "POST", headers: { "X-API-Key": key }, body: JSON.stringify(body) };
  }

  #payment(turn: number): RequestInit {
    const buyer = { name: "Ada Lovelace", email: `soak-${turn % 4_000}@example.com` };
    const items = [{ productId: "3031367", name: "Signals", quantity: 1, amount: 49.9 }];
    const data = { id: `soak-${turn}`, status: "paid", items, buyer, paid_at: new Date().toISOString() };
    const body = JSON.stringify({ event: "payment.invoice_paid", data });
    return { method: "POST", headers: { "x-signature": signBody(Buffer.from(body), PAYMENT_SECRET) }, body };
  }
}
