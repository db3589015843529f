import { setTimeout as pause } from "node:timers/promises";
import { signBody } from "@/lib/payments/signature";
import { type OpenLoopTask, runOpenLoop } from "@/tests/bench/load";
import { childProcessesMb, MemorySamples, residentMb } from "@/tests/bench/memory";
import { quantile } from "@/tests/bench/quantile";
import { makeKeys, startServiceAndWorker } from "@/tests/bench/service";
import type { RunOptions } from "@/tests/support/run-named";
import { signInByForm } from "@/tests/support/sign-in";
import { waitForSimulatedHistory } from "@/tests/support/wait-for-market";
import { PAYMENT_SECRET } from "./payment-sender";

const MINUTES = 2;
const MAX_MB_PER_HOUR = 5;
const MAX_WORKER_MB = 300;
/** Limit for HTTP server and page process together. */
const MAX_SERVER_MB = 450;
/** In shorter runs, memory is not judged: its slope shows the start of the process rather than a leak. */
const JUDGED_FROM_MINUTES = 60;
const TICK_MS = 50;
const SAMPLE_MS = 2_000;
/** Interval at which a run prints its figures so far, for runs that are stopped early. */
const TOLD_EACH_MS = 600_000;
const PAGES = ["/", "/status", "/docs", "/portal", "/portal/signals", "/portal/executions", "/login"];
const POLL_ROUND_SECONDS = 60;
const POLL_CONNECTIONS = 256;
/** A rate of polls is sustained if, in this many seconds, no poll fails and the median answer time is at most RATE_P50_MS. */
const RATE_SECONDS = 10;
const RATE_P50_MS = 50;
const FIRST_RATE = 250;
/** Duration of the warm-up at FIRST_RATE. */
const WARM_SECONDS = 30;
/** Number of bisection steps between the highest sustained rate and the next one. */
const HALVINGS = 3;
/** Pause after the search for the highest rate, which overloads the server. */
const RECOVERED_MS = 10_000;
/** Number per second of the requests other than polls. */
const PER_SECOND = { webhooks: 1, pages: 5, reports: 60 } as const;
/** Maximum number of pending requests other than polls; further ones are skipped. */
const MAX_OPEN = 256;

type Kind = keyof typeof PER_SECOND;
/** The address, the keys and the number of connections of the polls. */
type Polled = Omit<OpenLoopTask, "seconds" | "perSecond">;

/**
 * Sends half of the polls that the server can answer, for `--minutes`, together with reports, pages and webhooks. As in
 * `deploy/`, a second process runs the background jobs: a simulated market, signals and training. The capacity is
 * measured before, under the same other load. Fails if a request fails or, from an hour on, if the server with its
 * page process or the worker uses more memory than its limit or gains more than MAX_MB_PER_HOUR.
 */
export async function soak(options: RunOptions): Promise<string[]> {
  const minutes = options.minutes ?? MINUTES;
  const service = await startServiceAndWorker({
    MARKET_FEED: "demo",
    LOG_LEVEL: "warn",
    PAYMENT_WEBHOOK_SECRET: PAYMENT_SECRET,
    TRUST_PROXY_HOPS: "1",
  });
  const { worker } = service;
  try {
    const keys = await makeKeys(service.sql, 50, "pro");
    await service.sql`update api_keys set rate_limit_per_min = 100000`;
    const { url, pid } = service.server;
    await waitForSimulatedHistory(service.sql);
    const cookie = await signInByForm(url, "/login/by-key", { api_key: keys[0] ?? "" });
    const traffic = new Traffic(url, keys, cookie);
    const scan = { url: `${url}/api/scan`, keys, connections: POLL_CONNECTIONS };
    const most = await traffic.beside(() => mostPolls(scan));
    await pause(RECOVERED_MS);
    traffic.forget();
    const perSecond = Math.round(most / 2);
    process.stdout.write(`  ${perSecond} polls a second, half of ${most}\n`);
    const polls = new Polls(scan, perSecond);
    const server = new MemorySamples(() => residentMb(pid) + childProcessesMb(pid));
    const background = new MemorySamples(() => residentMb(worker.pid));
    const memories = {
      "HTTP server and page process": server,
      "HTTP server": new MemorySamples(() => residentMb(pid)),
      "page process": new MemorySamples(() => childProcessesMb(pid)),
      worker: background,
    };
    const until = performance.now() + minutes * 60_000;
    const driving = traffic.beside(() => polls.drive(until));
    const told = () => Object.entries(memories).map(([name, memory]) => `memory, ${name}: ${memory.told()}`);
    let trainingMb = 0;
    let toldAt = performance.now();
    while (performance.now() < until) {
      for (const memory of Object.values(memories)) memory.note();
      trainingMb = Math.max(trainingMb, childProcessesMb(worker.pid));
      if (performance.now() - toldAt > TOLD_EACH_MS) {
        toldAt = performance.now();
        process.stdout.write(`  ${[polls.told(), traffic.told(), ...told()].join("\n  ")}\n`);
      }
      await pause(SAMPLE_MS);
    }
    await driving;
    const [trained] = await service.sql`select count(*)::int as n from trainings`;
    const lines = [
      `${minutes} min at ${perSecond} polls a second (half of ${most}): ${polls.told()}`,
      `beside them ${traffic.told()}; ${trained?.n} trainings`,
      ...told(),
      `a training, in a process of its own: ${trainingMb.toFixed(0)} MB at most`,
      ...(minutes < JUDGED_FROM_MINUTES ? [`memory is not judged below ${JUDGED_FROM_MINUTES} min`] : []),
    ];
    const isTooMuch =
      minutes >= JUDGED_FROM_MINUTES &&
      (trainingMb > MAX_WORKER_MB ||
        background.most > MAX_WORKER_MB ||
        server.most > MAX_SERVER_MB ||
        [server, background].some(({ slope }) => slope > MAX_MB_PER_HOUR));
    if (isTooMuch || polls.failures + traffic.failures > 0) throw new Error(lines.join("\n"));
    return lines;
  } finally {
    await service.stop();
  }
}

/** Searches for the highest number of polls per second that is sustained, by doubling and then bisection. */
async function mostPolls(scan: Polled): Promise<number> {
  const isAnswered = async (perSecond: number) => {
    const { p50Ms, errors } = await runOpenLoop({ ...scan, perSecond, seconds: RATE_SECONDS });
    return errors === 0 && p50Ms <= RATE_P50_MS;
  };
  await runOpenLoop({ ...scan, perSecond: FIRST_RATE, seconds: WARM_SECONDS });
  let [answered, tooMany] = [0, FIRST_RATE];
  while (await isAnswered(tooMany)) [answered, tooMany] = [tooMany, 2 * tooMany];
  for (let n = 0; n < HALVINGS; n++) {
    const between = Math.round((answered + tooMany) / 2);
    if (await isAnswered(between)) answered = between;
    else tooMany = between;
  }
  if (answered === 0) throw new Error(`fewer than ${FIRST_RATE} polls per second are answered`);
  return answered;
}

/** Scheduled polls, sent from a separate process. */
class Polls {
  failures = 0;
  #sent = 0;
  #p50s: number[] = [];
  #p99s: number[] = [];

  constructor(
    readonly scan: Polled,
    readonly perSecond: number,
  ) {}

  async drive(until: number): Promise<void> {
    const { scan, perSecond } = this;
    while (performance.now() < until) {
      const seconds = Math.ceil(Math.min(POLL_ROUND_SECONDS, (until - performance.now()) / 1_000));
      const round = await runOpenLoop({ ...scan, perSecond, seconds });
      this.#sent += perSecond * seconds;
      this.failures += round.errors;
      this.#p50s.push(round.p50Ms);
      this.#p99s.push(round.p99Ms);
    }
  }

  told(): string {
    const shown = (rounds: number[], q: number) => quantile(rounds, q).toFixed(0);
    return `${this.#sent} polls, ${this.failures} failed; of the minutes, the median p50 ${shown(this.#p50s, 0.5)} ms and p99 ${shown(this.#p99s, 0.5)} ms, the worst p99 ${shown(this.#p99s, 1)} ms`;
  }
}

/** Sends reports, page requests and payment webhooks at the rates of PER_SECOND, and counts the answers. */
class Traffic {
  readonly #answered = new Map<Kind, number>();
  readonly #sent = new Map<Kind, number>();
  #open = 0;
  #leftOut = 0;
  #lastFailure = "";
  failures = 0;

  constructor(
    readonly url: string,
    readonly keys: readonly string[],
    readonly cookie: string,
  ) {}

  /** Sends requests while `work` runs. Resolves with the result of `work` when all requests are answered. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    let isDone = false;
    const other = work().finally(() => {
      isDone = true;
    });
    // The returned promise reports a failure of `work`; without this line Node would report it as unhandled meanwhile.
    other.catch(() => undefined);
    const due = { webhooks: 0, pages: 0, reports: 0 };
    const startedAt = performance.now();
    while (!isDone) {
      const seconds = (performance.now() - startedAt) / 1_000;
      for (const kind of Object.keys(PER_SECOND) as Kind[])
        for (; due[kind] < PER_SECOND[kind] * seconds; due[kind]++) this.#send(kind);
      await pause(TICK_MS);
    }
    while (this.#open > 0) await pause(TICK_MS);
    return other;
  }

  /** Resets the counts, so that requests during the search for the highest rate do not count. */
  forget(): void {
    this.#answered.clear();
    this.#leftOut = 0;
    this.#lastFailure = "";
    this.failures = 0;
  }

  told(): string {
    const counts = [...this.#answered].map(([kind, n]) => `${n} ${kind}`).join(", ");
    return `${counts}; ${this.failures} failed${this.#lastFailure && ` (last: ${this.#lastFailure})`}, ${this.#leftOut} skipped with ${MAX_OPEN} pending`;
  }

  #send(kind: Kind): void {
    const turn = this.#sent.get(kind) ?? 0;
    this.#sent.set(kind, turn + 1);
    if (this.#open >= MAX_OPEN) {
      this.#leftOut++;
      return;
    }
    if (kind === "webhooks") void this.#ask(kind, turn, "/webhooks/payment", this.#payment(turn));
    else if (kind === "pages")
      void this.#ask(kind, turn, PAGES[turn % PAGES.length] ?? "/", { headers: { Cookie: this.cookie } });
    else void this.#ask(kind, turn, "/api/executions", this.#report(turn));
  }

  async #ask(kind: Kind, turn: number, path: string, request: RequestInit): Promise<void> {
    this.#open++;
    const headers = { ...request.headers, "X-Forwarded-For": `10.${turn % 200}.1.1` };
    try {
      const answer = await fetch(this.url + path, { ...request, headers, redirect: "manual" });
      await answer.arrayBuffer();
      if (answer.status >= 400) this.#fail(`${path} ${answer.status}`);
      this.#answered.set(kind, (this.#answered.get(kind) ?? 0) + 1);
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

  /** Reports with even numbers open a position, and the next report closes it. */
  #report(turn: number): RequestInit {
    const position = Math.floor(turn / 2);
    const key = this.keys[position % this.keys.length] ?? "";
    const opened = {
      ticket: 1 + position,
      symbol: "EURUSD",
      timeframe: "H1",
      signal: "BUY",
      entry_price: 1.1,
    };
    const closing = { closed_at: new Date().toISOString(), exit_price: 1.101, pnl: 9.5, result: "TP" };
    const body = turn % 2 === 0 ? opened : { ...opened, ...closing };
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
