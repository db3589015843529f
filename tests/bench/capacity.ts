import { Agent } from "node:http";
import postgres from "postgres";
import { ADMIN_SECRET } from "@/tests/support/database";
import { startServer } from "@/tests/support/server";
import { runClosedLoop, runOpenLoop, sendForStatus } from "./load";
import { quantile } from "./quantile";
import { startBareHttpServer } from "./reference-servers";
import { type BenchService, ingestScan, makeKeys, startBenchService } from "./service";

const KEYS = 20_000;
const CONNECTIONS = 64;
const SECONDS = 8;
const OPEN_LOOP_ROUNDS = 3;
/** Number of callers that report positions, and of connections that insert single rows without HTTP. */
const REPORTERS = 32;
/** Seconds of closing positions: less than for opening them, so that open positions remain. */
const CLOSING_SECONDS = 4;
const ITEMS = 5_000;
const COMMITS = 100;

/**
 * Measures one server process: response times of scheduled polls at half of the maximum rate, reports compared with
 * single-row transactions, ingested candles and signals, and the delay until another process shows a signal. Server,
 * database and callers share the machine.
 */
export async function benchCapacity(): Promise<string[]> {
  const service = await startBenchService({ MARKET_FEED: "off", WORKER: "none" });
  try {
    await ingestScan(service.server, ADMIN_SECRET);
    const keys = await makeKeys(service.sql, KEYS, "pro");
    await service.sql`update api_keys set rate_limit_per_min = 100000`;
    return [
      ...(await openLoop(service, keys)),
      await reports(service, keys),
      ...(await ingest(service)),
      await visibility(service, keys[0] ?? ""),
    ];
  } finally {
    await service.stop();
  }
}

/**
 * Polls at half of the maximum rate, alternating with the same rate on a `node:http` server that writes the same JSON
 * without key, limit, log or database. The latter shows what load generator and machine alone cost.
 */
async function openLoop({ server }: BenchService, keys: string[]): Promise<string[]> {
  const url = `${server.url}/api/scan`;
  const shown = await fetch(url, { headers: { "X-API-Key": keys[0] ?? "" } });
  const floor = await startBareHttpServer(await shown.text(), true);
  try {
    const most = await runClosedLoop({ url, connections: CONNECTIONS, seconds: SECONDS, keys });
    const polls = { perSecond: Math.round(most.requestsPerSecond / 2), seconds: SECONDS, keys };
    await runOpenLoop({ ...polls, url, seconds: 2 });
    const rounds: Record<"scan" | "floor", Awaited<ReturnType<typeof runOpenLoop>>[]> = {
      scan: [],
      floor: [],
    };
    for (let round = 0; round < OPEN_LOOP_ROUNDS; round++) {
      rounds.scan.push(await runOpenLoop({ ...polls, url }));
      rounds.floor.push(await runOpenLoop({ ...polls, url: floor.url }));
    }
    const told = (of: keyof typeof rounds) =>
      rounds[of]
        .map(
          ({ p50Ms, p99Ms, lateP99Ms, errors }) =>
            `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms (the generator late by ${lateP99Ms.toFixed(1)}), failed ${errors}`,
        )
        .join("; ");
    return [
      `polls, open loop: ${polls.perSecond}/s for ${SECONDS} s, half of ${Math.round(most.requestsPerSecond)}/s (${most.generator}): ${told("scan")}`,
      `as many of a node:http that writes the JSON: ${told("floor")}`,
    ];
  } finally {
    await floor.stop();
  }
}

/**
 * Reports new positions, alternating with single-row inserts over plain database connections; then reports the closing
 * of the positions.
 */
async function reports({ server, databaseUrl }: BenchService, keys: string[]): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: REPORTERS });
  const sql = postgres(databaseUrl, { max: REPORTERS, onnotice: () => undefined });
  const [subscription] = await sql<{ id: number }[]>`select min(id) as id from subscriptions`;
  const opened: { ticket: number; key: string }[] = [];
  let nextTicket = 1;
  const send = async ({ ticket, key }: { ticket: number; key: string }, said: object) => {
    const body = { ticket, symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: 1.1, ...said };
    const headers = { "X-API-Key": key };
    const status = await sendForStatus(
      agent,
      "POST",
      `${server.url}/api/executions`,
      headers,
      JSON.stringify(body),
    );
    if (status !== 201) throw new Error(`a report was answered with ${status}`);
  };
  const open = async (n: number) => {
    const position = { ticket: nextTicket++, key: keys[n % keys.length] ?? "" };
    await send(position, {});
    opened.push(position);
  };
  const close = async () => {
    const position = opened.shift();
    if (position === undefined) throw new Error("there is no open position to close");
    await send(position, { closed_at: new Date().toISOString(), exit_price: 1.2, pnl: 9.5, result: "TP" });
  };
  const insert = async () => {
    await sql`insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, entry_price)
      values (${subscription?.id ?? 0}, ${1e9 + nextTicket++}, 'EURUSD', 'EURUSD', 'H1', 'BUY', now(), 1.1)`;
  };
  try {
    await together(REPORTERS, 1, open);
    const rounds = { http: 0, rows: 0 };
    for (let round = 0; round < 2; round++) {
      rounds.http += await together(REPORTERS, SECONDS / 2, open);
      rounds.rows += await together(REPORTERS, SECONDS / 2, insert);
    }
    const closings = await together(REPORTERS, CLOSING_SECONDS, close);
    return `reports: ${Math.round(rounds.http / SECONDS)}/s by ${REPORTERS} callers, single rows without HTTP ${Math.round(rounds.rows / SECONDS)}/s over as many connections: ${(rounds.http / rounds.rows).toFixed(2)}; of closings ${Math.round(closings / CLOSING_SECONDS)}/s`;
  } finally {
    agent.destroy();
    await sql.end({ timeout: 2 });
  }
}

/** Ingests new candles, then signals, ITEMS in a request and one request after the other. */
async function ingest({ server, sql }: BenchService): Promise<string[]> {
  const agent = new Agent({ keepAlive: true });
  const send = async (what: string, items: unknown[]) => {
    const headers = { "X-Admin-Secret": ADMIN_SECRET };
    const status = await sendForStatus(
      agent,
      "POST",
      `${server.url}/admin/ingest/${what}`,
      headers,
      JSON.stringify({ items }),
    );
    if (status !== 200 && status !== 201) throw new Error(`${what} were answered with ${status}`);
  };
  const rate = async (what: string, itemOf: (n: number) => object) => {
    let n = 0;
    const startedMs = performance.now();
    while (performance.now() - startedMs < SECONDS * 1_000) {
      const from = n;
      n += ITEMS;
      await send(
        what,
        Array.from({ length: ITEMS }, (_, i) => itemOf(from + i)),
      );
    }
    return Math.round((1_000 * n) / (performance.now() - startedMs));
  };
  const newestMs = Math.floor(Date.now() / 60_000) * 60_000;
  const at = (n: number) => new Date(newestMs - 60_000 * (n + 1)).toISOString();
  const candles = await rate("candles", (n) => ({
    symbol: "BTCUSD",
    timeframe: "M1",
    ts: at(n),
    open: 100,
    high: 101,
    low: 99,
    close: 100.5,
    volume: 1,
  }));
  const signals = await rate("signals", (n) => ({ ...SIGNAL, symbol: "BTCUSD", timeframe: "M1", ts: at(n) }));
  agent.destroy();
  const [stored] = await sql<{ n: number }[]>`select count(*)::int as n from signals`;
  return [
    `ingest: ${candles} candles/s, ${signals} signals/s, ${ITEMS} in a request, one request at a time (${stored?.n} signals stored)`,
  ];
}

const SIGNAL = {
  signal: "BUY",
  confidence: 0.6,
  prob_buy: 0.6,
  prob_sell: 0.2,
  prob_no: 0.2,
  regime: "RANGE",
  expected_rr: 1.5,
  model_v: "capacity",
};

/** Measures the time from the answer that acknowledges a signal to the first poll of another process that shows it. */
async function visibility({ server, databaseUrl }: BenchService, key: string): Promise<string> {
  const other = await startServer(databaseUrl, { LOG_LEVEL: "warn", MARKET_FEED: "off", WORKER: "none" });
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  try {
    const ts = new Date(Math.floor(Date.now() / 3_600_000 - 1) * 3_600_000).toISOString();
    for (let n = 0; n < COMMITS; n++) {
      const model_v = `seen-${n}`;
      const items = [{ ...SIGNAL, symbol: "EURUSD", timeframe: "H1", ts, model_v }];
      const body = JSON.stringify({ items });
      await sendForStatus(
        agent,
        "POST",
        `${server.url}/admin/ingest/signals`,
        { "X-Admin-Secret": ADMIN_SECRET },
        body,
      );
      const committedMs = performance.now();
      for (;;) {
        const answer = await fetch(`${other.url}/api/scan`, { headers: { "X-API-Key": key } });
        if ((await answer.text()).includes(model_v)) break;
        if (performance.now() - committedMs > 10_000) throw new Error("a signal was not seen within 10 s");
      }
      times.push(performance.now() - committedMs);
    }
    return `a signal on another process, from its acknowledgement to the poll that shows it (n=${COMMITS}): ${quantiles(times)}`;
  } finally {
    agent.destroy();
    await other.stop();
  }
}

/** Repeats a call in `lines` parallel lanes for some seconds. Returns the number of calls. */
async function together(lines: number, seconds: number, call: (n: number) => Promise<void>): Promise<number> {
  const endMs = performance.now() + seconds * 1_000;
  let n = 0;
  await Promise.all(
    Array.from({ length: lines }, async () => {
      while (performance.now() < endMs) await call(n++);
    }),
  );
  return n;
}

const quantiles = (times: number[]) =>
  `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
