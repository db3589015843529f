import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_SECRET, createDatabase } from "@/tests/support/database";
import { type RunningServer, startServer } from "@/tests/support/server";

/** Number of rounds; FIRST_FETCH_ROUNDS=167 makes 10,000 fetches. */
const ROUNDS = Number(process.env.FIRST_FETCH_ROUNDS ?? 16);
const SUBSCRIBERS = 20;
const FETCHES_PER_ROUND = 3;
const ROUNDS_PER_KILL = 4;
/** Fetches are written every two seconds; the rest is margin for a slow machine. */
const WRITTEN_WITHIN_MS = 4_000;
const ADMIN = { "X-Admin-Secret": ADMIN_SECRET };

/** Times at which a fetch was sent and answered, by the machine's clock, which is the database's clock too. */
interface Fetched {
  sentMs: number;
  answeredMs: number;
}

describe("first fetches across two killed instances", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let sql: postgres.Sql;
  let servers: RunningServer[] = [];
  const start = () => startServer(database.url, { MARKET_FEED: "off", WORKER: "none" });
  beforeAll(async () => {
    database = await createDatabase();
    sql = postgres(database.url, { max: 2, onnotice: () => undefined });
    servers = await Promise.all([start(), start()]);
  }, 60_000);
  afterAll(async () => {
    await sql.end({ timeout: 1 });
    for (const server of servers) await server.kill();
    await database.drop();
  });

  const at = (n: number) => servers[n % 2] as RunningServer;
  const issue = async (): Promise<string> => {
    const body = JSON.stringify({ user_name: "Tester", plan_tier: "owner", rate_limit_per_min: 100_000 });
    const answer = await fetch(`${at(0).url}/admin/keys`, { method: "POST", headers: ADMIN, body });
    return (await answer.json()).api_key;
  };
  const ingest = async (hour: number): Promise<number> => {
    const ts = new Date(Date.UTC(2026, 9, 1, hour)).toISOString();
    const item = { symbol: "EURUSD", timeframe: "H1", ts, signal: "BUY", model_v: "m", regime: "RANGE" };
    const figures = { confidence: 1, prob_buy: 1, prob_sell: 0, prob_no: 0, expected_rr: 1 };
    const body = JSON.stringify({ items: [{ ...item, ...figures }] });
    const made = await fetch(`${at(hour).url}/admin/ingest/signals`, {
      method: "POST",
      headers: ADMIN,
      body,
    });
    expect(made.status).toBe(200);
    return hour + 1;
  };
  /** Polls once; null without an answer. `sentMs` is the time of the first attempt, whose lost answer counts as given. */
  const poll = async (server: RunningServer, key: string, sentMs = Date.now()): Promise<Fetched | null> => {
    const answer = await fetch(`${server.url}/api/scan`, { headers: { "X-API-Key": key } }).catch(() => null);
    if (answer === null) return null;
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
    return { sentMs, answeredMs: Date.now() };
  };

  it("first fetches are recorded once and never too early, and a kill loses only its last seconds", {
    timeout: 60_000 + ROUNDS * 5_000,
  }, async () => {
    const keys: string[] = [];
    for (let n = 0; n < SUBSCRIBERS; n++) keys.push(await issue());
    /** Answers that contained each signal, by subscriber and signal number. */
    const answered = keys.map(() => new Map<number, Fetched[]>());
    const killedMs: number[] = [];
    let nFetches = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const seq = await ingest(round);
      let killed: number | null = null;
      await Promise.all(
        keys.map(async (key, n) => {
          const seen: Fetched[] = [];
          answered[n]?.set(seq, seen);
          for (let i = 0; i < FETCHES_PER_ROUND; i++) {
            // One of the two is killed mid-round with unwritten fetches in memory.
            if (round % ROUNDS_PER_KILL === 3 && n === SUBSCRIBERS / 2 && i === 1) {
              killed = (round >> 2) % 2;
              killedMs.push(Date.now());
              await at(killed).kill();
            }
            const sentMs = Date.now();
            const fetched =
              (await poll(at(n + i + round), key, sentMs)) ??
              (await poll(at(n + i + round + 1), key, sentMs));
            if (fetched === null) continue;
            seen.push(fetched);
            nFetches++;
          }
        }),
      );
      if (killed !== null) servers[killed] = await start();
      // Waits until the fetches of the rounds so far are written.
      if (round % ROUNDS_PER_KILL === 1) await new Promise((done) => setTimeout(done, WRITTEN_WITHIN_MS));
    }
    for (const server of servers) expect(await server.stop()).toBe(0);

    const rows = await sql<{ subscription_id: number; seq: string; n: number; first_ms: string }[]>`
      select f.subscription_id, shown.up_to as seq, count(distinct (f.day, f.way, f.slot_id, f.min_confidence))::int as n,
             min(extract(epoch from f.day::timestamp) * 1000 + shown.at_ms) as first_ms
        from fetch_days f, unnest(f.up_to, f.at_ms) as shown(up_to, at_ms)
       group by 1, 2 order by 1, 2`;
    const ids = [...new Set(rows.map((row) => row.subscription_id))].sort((a, b) => a - b);
    expect(ids).toHaveLength(SUBSCRIBERS);
    expect(nFetches).toBeGreaterThan(0.95 * SUBSCRIBERS * ROUNDS * FETCHES_PER_ROUND);
    let nCertain = 0;
    for (const [who, seen] of answered.entries()) {
      for (const [seq, [first, second]] of seen) {
        const found = rows.filter((row) => row.subscription_id === ids[who] && Number(row.seq) === seq);
        const [sentMs = 0, answeredMs = 0] = [first?.sentMs, second?.answeredMs];
        const firstMs = found.map((row) => Number(row.first_ms));
        // One millisecond for the rounding of the two clocks.
        for (const ms of firstMs) expect(ms).toBeGreaterThanOrEqual(sentMs - 1);
        if (killedMs.some((ms) => ms >= sentMs && ms < answeredMs + WRITTEN_WITHIN_MS)) continue;
        expect(firstMs, `subscriber ${who}, signal ${seq}`).toHaveLength(1);
        expect(firstMs[0]).toBeLessThanOrEqual(answeredMs + 1);
        nCertain++;
      }
    }
    expect(nCertain).toBeGreaterThanOrEqual((SUBSCRIBERS * ROUNDS) / 2);
  });
});
