import { setTimeout as pause } from "node:timers/promises";
import { type FollowOptions, followScan, followStream } from "@/lib/api/client";
import { HOUR_MS, SECOND_MS } from "@/lib/time";
import { makeKeys } from "@/tests/bench/service";
import { ADMIN_SECRET } from "@/tests/support/database";
import type { RunOptions } from "@/tests/support/run-named";
import { type TestBed, withTestBed } from "./test-bed";

const BY_STREAM = 5;
const BY_WAITING = 5;
/** Number of slots that get signals in rotation, so that a list still shows those made while its client was disconnected. */
const SLOTS = 120;
/** Maximum time in milliseconds to wait for the clients: before a slot gets its next signal, and at the end. */
const SETTLED_MS = 60 * SECOND_MS;

/**
 * Kills two instances alternately while signals are sent to them. Clients use the client library, half by stream and half
 * by long poll. Each must receive every signal once, in the order in which the database committed them.
 */
export function killStreams(options: RunOptions): Promise<string[]> {
  return withTestBed(options, { instances: 2 }, async (bed) => {
    const keys = await makeKeys(bed.sql, BY_STREAM + BY_WAITING, "owner");
    await bed.sql`update api_keys set rate_limit_per_min = 100000`;
    const clients = keys.map((key, n) => new Follower(bed, key, n, n < BY_STREAM ? byStream : byWaiting));
    const writer = new Writer(bed, clients);
    const rounds = await bed.repeat(200, async (round) => {
      // SIGKILL breaks streams off. Every fifth round also stops the other instance cleanly, which ends them properly.
      await bed.killAndRestart(round % 2);
      if (round % 5 === 4) await bed.restartCleanly((round + 1) % 2);
    });
    await writer.stop();
    const journal = await readJournal(bed);
    const until = performance.now() + SETTLED_MS;
    while (clients.some(({ told }) => told.length < journal.length) && performance.now() < until)
      await pause(100);
    await Promise.all(clients.map((client) => client.stop()));
    const wrong = clients.flatMap((client) => client.judge(journal));
    const connects = clients.reduce((sum, client) => sum + client.connects, 0);
    const lines = [
      `${rounds} kills of one of two instances, ${journal.length} signals (${writer.refused} sends failed and were repeated)`,
      `${BY_STREAM} clients by stream and ${BY_WAITING} by waiting, ${connects} requests: ${wrong.length} lost, doubled or out of order`,
      ...wrong.slice(0, 10),
    ];
    if (wrong.length > 0 || journal.length === 0) throw new Error(lines.join("\n"));
    return lines;
  });
}

/** Follows the signals until the options' AbortSignal, and passes on each signal's name and every broken promise. */
type Follow = (
  options: FollowOptions,
  tell: (name: string) => void,
  wrong: (what: string) => void,
) => Promise<void>;

const byStream: Follow = async (options, tell, wrong) => {
  for await (const event of followStream(options, 0)) {
    if (event.event === "signal") tell(event.data.model_v);
    if (event.event === "gap") wrong(`got a gap event from ${event.data.from} to ${event.data.to}`);
  }
};

const byWaiting: Follow = async (options, tell, wrong) => {
  const held = new Set<string>();
  for await (const { items } of followScan(options)) {
    const news = items.map((item) => item.model_v).filter((name) => !held.has(name));
    if (news.length === 0 && held.size > 0) wrong("got the same list twice");
    for (const name of news.toSorted((a, b) => numberIn(a) - numberIn(b))) {
      held.add(name);
      tell(name);
    }
  }
};

/** The model's name of the signal with this number, which identifies it. */
const nameOf = (n: number) => `streams-${n}`;
const numberIn = (name: string) => Number(name.slice(nameOf(0).length - 1));

/** A client of both instances: each of its requests goes to the instance that the request before did not use. */
class Follower {
  readonly told: string[] = [];
  connects = 0;
  readonly #wrong: string[] = [];
  readonly #stop = new AbortController();
  readonly #over: Promise<void>;

  constructor(
    bed: TestBed,
    apiKey: string,
    readonly n: number,
    follow: Follow,
  ) {
    const reach = (request: Request, init: RequestInit) => {
      const { pathname, search } = new URL(request.url);
      const server = bed.servers[(n + this.connects++) % bed.servers.length];
      return fetch(new Request(`${server?.url}${pathname}${search}`, request), init);
    };
    const options = { baseUrl: "http://instances", apiKey, signal: this.#stop.signal, fetch: reach };
    const tell = (name: string) => this.told.push(name);
    this.#over = follow(options, tell, (what) => this.#wrong.push(what)).catch((error: unknown) => {
      this.#wrong.push(`gave up: ${String(error)}`);
    });
  }

  /** Number of the newest signal received. */
  get newest(): number {
    return numberIn(this.told.at(-1) ?? nameOf(-1));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  judge(journal: readonly string[]): string[] {
    const seen = new Set(this.told);
    const lost = journal.filter((name) => !seen.has(name)).map((name) => `lost ${name}`);
    const doubled = this.told.filter((name, i) => this.told.indexOf(name) !== i);
    const isInOrder = this.told.every(
      (name, i) => i === 0 || numberIn(name) > numberIn(this.told[i - 1] ?? ""),
    );
    const all = [...this.#wrong, ...lost, ...doubled.map((name) => `doubled ${name}`)];
    if (all.length === 0 && !isInOrder) all.push("out of order");
    return all.map((what) => `client ${this.n}: ${what}`);
  }
}

/** Sends one signal after the other to the ingest endpoint of either instance, and repeats each until it is accepted. */
class Writer {
  refused = 0;
  #isOn = true;
  readonly #over: Promise<void>;

  constructor(bed: TestBed, clients: readonly Follower[]) {
    this.#over = this.#write(bed, clients);
  }

  async #write(bed: TestBed, clients: readonly Follower[]): Promise<void> {
    const ts = new Date(Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS).toISOString();
    const rest = { timeframe: "H1", ts, signal: "BUY", regime: "RANGE", expected_rr: 1.5 };
    const figures = { confidence: 0.6, prob_buy: 0.6, prob_sell: 0.2, prob_no: 0.2 };
    for (let n = 0; this.#isOn; n++) {
      // Waits until every client has the slot's previous signal, for a minute at most: the final check reports a lost one.
      const until = performance.now() + SETTLED_MS;
      while (this.#isOn && clients.some(({ newest }) => newest <= n - SLOTS) && performance.now() < until)
        await pause(50);
      const body = JSON.stringify({
        items: [{ symbol: symbolOf(n % SLOTS), model_v: nameOf(n), ...rest, ...figures }],
      });
      for (let turn = n; this.#isOn; turn++) {
        if (await this.#send(bed.servers[turn % 2]?.url ?? "", body)) break;
        this.refused++;
        await pause(50);
      }
      await pause(100);
    }
  }

  async #send(url: string, body: string): Promise<boolean> {
    try {
      const answer = await fetch(`${url}/admin/ingest/signals`, {
        method: "POST",
        headers: { "X-Admin-Secret": ADMIN_SECRET },
        body,
        signal: AbortSignal.timeout(5_000),
      });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#over;
  }
}

const symbolOf = (n: number) => `Q${String.fromCharCode(65 + Math.floor(n / 26), 65 + (n % 26))}USD`;

/** The names of the signals in commit order. */
async function readJournal({ sql }: TestBed): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select model_v as name from signals order by seq`;
  return rows.map(({ name }) => name);
}
