import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signBody } from "@/lib/payments/signature";
import { ADMIN_SECRET, createDatabase } from "@/tests/support/database";
import { paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";
import { hasRedis, type RunningRedis, startRedis } from "@/tests/support/redis";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";

const ADMIN = { "X-Admin-Secret": ADMIN_SECRET };
/** The first of two things for an even `n`, the second for an odd one. */
const inTurn = <T>(things: readonly [T, T], n: number): T => things[n % 2 === 0 ? 0 : 1];

describe.sequential("two servers over one database", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let redis: RunningRedis | null = null;
  let sql: postgres.Sql;
  let servers: [RunningServer, RunningServer];
  beforeAll(async () => {
    database = await createDatabase();
    if (hasRedis()) redis = await startRedis();
    const extra = {
      PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET,
      MARKET_FEED: "off",
      ...(redis ? { REDIS_URL: redis.url } : {}),
    };
    // The second server starts after the first one's worker leads.
    const first = await startServer(database.url, extra);
    await waitUntil(async () => leads(first), 10_000);
    servers = [first, await startServer(database.url, extra)];
    sql = postgres(database.url, { max: 2, onnotice: () => undefined });
  });
  afterAll(async () => {
    await sql.end({ timeout: 1 });
    for (const server of servers) await server.kill();
    await redis?.stop();
    await database.drop();
  });

  const leads = (server: RunningServer) => server.output().includes('"the worker leads"');
  const issue = async (grant: object): Promise<{ key_id: number; api_key: string }> => {
    const body = JSON.stringify({ user_name: "Tester", plan_tier: "owner", ...grant });
    return (await fetch(`${servers[0].url}/admin/keys`, { method: "POST", headers: ADMIN, body })).json();
  };
  const poll = async (server: RunningServer, key: string) => {
    const answer = await fetch(`${server.url}/api/scan`, { headers: { "X-API-Key": key } });
    await answer.arrayBuffer();
    return answer.status;
  };
  const rotate = async (server: RunningServer, key: string) => {
    const headers = { "X-API-Key": key };
    const answer = await fetch(`${server.url}/api/account/regenerate-key`, { method: "POST", headers });
    await answer.arrayBuffer();
    return answer.status;
  };

  it("two servers let one of many concurrent rotations with the same key succeed", async () => {
    for (let round = 0; round < 5; round++) {
      const { api_key } = await issue({});
      const calls = Array.from({ length: 8 }, (_, n) => rotate(inTurn(servers, n), api_key));
      expect((await Promise.all(calls)).toSorted()).toEqual([200, ...Array(7).fill(401)]);
    }
  });

  it("two servers refuse a key from the first request after its revocation or rotation at either", {
    timeout: 60_000,
  }, async () => {
    for (let round = 0; round < 20; round++) {
      const { key_id, api_key } = await issue({ rate_limit_per_min: 100_000 });
      let ended = false;
      const pollers = Array.from({ length: 4 }, async (_, n) => {
        for (let asked = 0; asked < 2; ) {
          const wasEnded = ended;
          const status = await poll(inTurn(servers, n), api_key);
          if (wasEnded) asked++;
          expect(wasEnded ? [401] : [200, 401]).toContain(status);
        }
      });
      const ender = inTurn(servers, round >> 1);
      if (round % 2 === 0)
        await fetch(`${ender.url}/admin/keys/${key_id}`, { method: "DELETE", headers: ADMIN });
      else expect(await rotate(ender, api_key)).toBe(200);
      ended = true;
      await Promise.all(pollers);
    }
  });

  it.runIf(hasRedis())(
    "two servers with a shared Redis count a subscription's requests together",
    async () => {
      const { api_key } = await issue({ rate_limit_per_min: 40 });
      const statuses = await Promise.all(
        Array.from({ length: 100 }, (_, n) => poll(inTurn(servers, n), api_key)),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(40);
      expect(statuses.filter((status) => status === 429)).toHaveLength(60);
    },
  );

  it("two servers create one key and one mail for a delivery that reaches them a hundred times", async () => {
    const email = `buyer-${randomUUID().slice(0, 8)}@example.com`;
    const body = JSON.stringify(paymentEvent({ email }));
    const headers = { "x-signature": signBody(Buffer.from(body), WEBHOOK_SECRET) };
    const actions = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const url = `${inTurn(servers, n).url}/webhooks/payment`;
        const answer = await fetch(url, { method: "POST", body, headers });
        return (await answer.json()).action;
      }),
    );
    expect(actions.filter((action) => action === "api_key_created")).toHaveLength(1);
    expect(actions.filter((action) => action === "already_provisioned")).toHaveLength(99);
    const [made] = await sql`
      select (select count(*)::int from mail_outbox where recipient = ${email}) as mails, count(*)::int as keys
        from api_keys join subscriptions s on s.id = subscription_id where s.email_normalized = ${email}`;
    expect(made).toEqual({ keys: 1, mails: 1 });
  });

  it("a signal ingested at one server is in the next scan of the other", async () => {
    const { api_key } = await issue({ rate_limit_per_min: 100_000 });
    for (let hour = 0; hour < 20; hour++) {
      const ts = new Date(Date.UTC(2026, 10, 2, hour)).toISOString().replace(".000", "");
      const item = { symbol: "EURUSD", timeframe: "H1", ts, signal: "BUY", model_v: "m", regime: "RANGE" };
      const figures = { confidence: 1, prob_buy: 1, prob_sell: 0, prob_no: 0, expected_rr: 1 };
      const body = JSON.stringify({ items: [{ ...item, ...figures }] });
      const url = `${inTurn(servers, hour).url}/admin/ingest/signals`;
      expect((await fetch(url, { method: "POST", headers: ADMIN, body })).status).toBe(200);
      const headers = { "X-API-Key": api_key };
      const scan = await (await fetch(`${inTurn(servers, hour + 1).url}/api/scan`, { headers })).json();
      expect(scan.items[0].ts).toBe(ts);
    }
  });

  it("the worker of the second server leads after the leading server was killed", async () => {
    expect(servers.map(leads)).toEqual([true, false]);
    await servers[0].kill();
    await waitUntil(async () => leads(servers[1]), 10_000, servers[1].output);
    expect(await servers[1].stop()).toBe(0);
  });
});
