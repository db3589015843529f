import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { listEndpoints, listWebhookAttempts } from "@/db/queries/webhook-endpoints";
import { listWebhookDeliveries } from "@/db/queries/webhook-queue";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { changeKeyEnd } from "@/lib/access/keys/change-key-end";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { publishEvents } from "@/lib/outbound/publish";
import { deliverDueWebhooks } from "@/lib/outbound/webhooks/deliver-webhooks";
import {
  createEndpoint,
  pauseEndpoint,
  queueTestDelivery,
  removeEndpoint,
  resendOutgoingWebhook,
  resumeEndpoint,
  rotateEndpointSecret,
} from "@/lib/outbound/webhooks/endpoints";
import { queueKeyExpiringEvents } from "@/lib/outbound/webhooks/queue-events";
import { RETRY_DELAYS_MS } from "@/lib/outbound/webhooks/retry";
import { resolveOutcomes } from "@/lib/signals/outcomes/resolve-outcomes";
import { signalPrices } from "@/lib/signals/signal-prices";
import { HOUR_MS, MINUTE_MS } from "@/lib/time";
import { WEBHOOK_EVENTS } from "@/lib/vocabulary";
import { type KeyFields, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import {
  hourCandles,
  hourlyCandleOpenTime,
  ingest,
  modelItem,
  signalItem,
} from "@/tests/support/market-data";
import { startWebhookReceiver, type WebhookReceiver } from "@/tests/support/receiver";

useDatabase({ MARKET_FEED: "demo", BASE_URL: "http://localhost:3000" });

let sql: postgres.Sql;
const receivers: WebhookReceiver[] = [];
beforeAll(() => {
  sql = connectDirectly();
});
afterEach(async () => {
  await sql`delete from webhook_endpoints`;
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(() => sql.end());

const RUNNING = new AbortController().signal;
const publish = () =>
  publishEvents(workerDb(), { accessOf: computeReceiverAccess, readPrices: signalPrices }, new Date());
const deliver = (deadlineMs = 1_500) =>
  deliverDueWebhooks(workerDb(), { accessOf: computeReceiverAccess, post: { deadlineMs } }, RUNNING);
/** Moves the times of endpoints, deliveries and attempts `ms` milliseconds into the past. */
async function pass(ms: number): Promise<void> {
  const span = `${ms} milliseconds`;
  await sql`update webhook_endpoints
    set next_attempt_at = next_attempt_at - ${span}::text::interval, leased_until = leased_until - ${span}::text::interval,
        created_at = created_at - ${span}::text::interval`;
  await sql`update webhook_deliveries set created_at = created_at - ${span}::text::interval`;
  await sql`update webhook_attempts set created_at = created_at - ${span}::text::interval`;
}
/** Milliseconds until the next attempt to the only endpoint; null: no attempt is scheduled. */
async function pauseMs(): Promise<number | null> {
  const [row] = await sql<{ ms: number | null }[]>`
    select extract(epoch from next_attempt_at - clock_timestamp())::float8 * 1000 as ms from webhook_endpoints`;
  return row?.ms ?? null;
}
let symbolNo = 0;
/** A new symbol for each call, so that signals do not mix. */
const newSymbol = () => {
  const [first, second] = [Math.floor(symbolNo / 26), symbolNo++ % 26];
  return `Q${String.fromCharCode(65 + first, 65 + second)}USD`;
};

async function subscriber(fields: KeyFields = {}) {
  const { keyId } = await makeKey({ plan_tier: "pro", ...fields });
  const [row] = await sql<
    { subscription_id: number }[]
  >`select subscription_id from api_keys where id = ${keyId}`;
  const subscriptionId = row!.subscription_id;
  const actor = { kind: "subscriber", subscriptionId, address: "127.0.0.1", requestId: "t" } as const;
  return { keyId, subscriptionId, planTier: "pro", actor } as const;
}

async function endpointOf(
  owner: Awaited<ReturnType<typeof subscriber>>,
  events: readonly string[] = WEBHOOK_EVENTS,
) {
  const receiver = await startWebhookReceiver();
  receivers.push(receiver);
  const made = await createEndpoint(db(), owner, { url: receiver.url, events }, owner.actor);
  return { ...made, receiver, owner };
}

const typesOf = (receiver: WebhookReceiver) => receiver.received.map(({ body }) => JSON.parse(body).type);
const dataOf = (receiver: WebhookReceiver) => receiver.received.map(({ body }) => JSON.parse(body).data);

describe("a signal", () => {
  it("a signal arrives once with a Standard Webhooks signature, in the format of the API", async () => {
    const { receiver, secret } = await endpointOf(await subscriber());
    const symbol = newSymbol();
    await ingest("signals", [signalItem({ symbol })]);
    await publish();
    await publish();
    expect(await deliver()).toBe(1);
    await publish();
    await deliver();
    expect(await listWebhookDeliveries(db(), { limit: 5, offset: 0 })).toMatchObject([
      { state: "sent", lastCode: null, lastStatus: 200 },
    ]);
    expect(receiver.received).toHaveLength(1);
    const [{ headers, body }] = receiver.received as [WebhookReceiver["received"][number]];
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>) as {
      type: string;
      simulated: boolean;
      data: object;
    };
    expect(verified).toMatchObject({
      type: "signal.created",
      simulated: true,
      data: {
        symbol,
        timeframe: "H1",
        signal: "BUY",
        confidence: 0.5,
        ts: hourlyCandleOpenTime(0).toISOString().replace(".000", ""),
      },
    });
    expect(Object.keys(verified.data)).toEqual(expect.arrayContaining(["pred_id", "seq", "valid_until"]));
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
  });

  it("a signal is not sent to an endpoint whose key excludes its symbol before or after it was queued", async () => {
    const narrow = await endpointOf(await subscriber({ symbols_allowed: ["EURUSD"] }));
    const wide = await endpointOf(await subscriber());
    const symbol = newSymbol();
    await ingest("signals", [signalItem({ symbol })]);
    await publish();
    await sql`update api_keys set symbols_allowed = '{EURUSD}' where id = ${wide.owner.keyId}`;
    await deliver();
    expect(narrow.receiver.received).toHaveLength(0);
    expect(wide.receiver.received).toHaveLength(0);
    const rows = await sql`select state, last_code from webhook_deliveries`;
    expect([...rows]).toEqual([{ state: "dropped", last_code: "slot_not_in_plan" }]);
  });

  it("a webhook endpoint gets a signal, then its result, and a change of champion", async () => {
    const { receiver } = await endpointOf(await subscriber());
    const symbol = newSymbol();
    const flat = { open: 100, high: 101, low: 99, close: 100 };
    await ingest("models", [modelItem(symbol)]);
    await ingest(
      "candles",
      hourCandles(
        symbol,
        Array.from({ length: 40 }, () => flat),
      ),
    );
    await ingest("signals", [signalItem({ symbol, ts: hourlyCandleOpenTime(20) })]);
    await publish();
    expect(await resolveOutcomes(db())).toBe(1);
    await publish();
    await publish();
    await deliver();
    expect(typesOf(receiver)).toEqual(["signal.created", "model.changed", "signal.resolved"]);
    const [created, , resolved] = dataOf(receiver);
    expect(resolved).toMatchObject({
      pred_id: created.pred_id,
      symbol,
      outcome: "NO_TRADE",
      exit_reason: "TIMEOUT",
    });
    await ingest("models", [modelItem(symbol, "H1", { model_v: "m2" })]);
    await publish();
    await publish();
    await deliver();
    expect(typesOf(receiver).slice(3)).toEqual(["model.changed"]);
    expect(dataOf(receiver)[3]).toEqual({ symbol, timeframe: "H1", model_v: "m2" });
  });

  it("a signal is not sent after the key was revoked", async () => {
    const { receiver, owner } = await endpointOf(await subscriber());
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await revokeKey(db(), owner.keyId, owner.actor);
    await deliver();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await deliver();
    expect(receiver.received).toHaveLength(0);
  });

  it("a signal is sent when the endpoint's previous send ended during the check for due deliveries", async () => {
    const { receiver } = await endpointOf(await subscriber());
    await ingest(
      "signals",
      [1, 2].map(() => signalItem({ symbol: newSymbol() })),
    );
    await publish();
    receiver.answer((response) => setTimeout(() => response.end("ok"), 1_000));
    // A statement that finds nothing gets its result half a second late, after the current run.
    const late = new Proxy(workerDb(), {
      get(target, name) {
        if (name !== "execute") return Reflect.get(target, name);
        return async (query: Parameters<typeof target.execute>[0]) => {
          const rows = await target.execute(query);
          if (rows.length === 0) await new Promise((done) => setTimeout(done, 500));
          return rows;
        };
      },
    });
    await deliverDueWebhooks(late, { accessOf: computeReceiverAccess, post: { deadlineMs: 5_000 } }, RUNNING);
    expect(receiver.received).toHaveLength(2);
  });

  it("each of 1,200 signals is queued once for every endpoint whose key allows its symbol", async () => {
    const symbols = Array.from({ length: 30 }, newSymbol);
    const narrow = await subscriber({ symbols_allowed: symbols.slice(0, 1) });
    const { endpointId } = await endpointOf(narrow);
    const wide = await endpointOf(await subscriber());
    const items = symbols.flatMap((symbol) =>
      Array.from({ length: 40 }, (_, n) =>
        signalItem({ symbol, ts: hourlyCandleOpenTime(n), model_v: `many${n}` }),
      ),
    );
    await ingest("signals", items);
    await publish();
    await publish();
    const queued = async (endpoint: number) =>
      (
        await sql`select 1 from webhook_deliveries where endpoint_id = ${endpoint} and event = 'signal.created'`
      ).length;
    expect([await queued(endpointId), await queued(wide.endpointId)]).toEqual([40, 1_200]);
  });

  it("a signal is queued and sent once to each endpoint when several runs work at the same time", async () => {
    const made = await Promise.all(
      [subscriber(), subscriber(), subscriber()].map(async (s) => endpointOf(await s)),
    );
    await ingest(
      "signals",
      Array.from({ length: 20 }, () => signalItem({ symbol: newSymbol() })),
    );
    await Promise.all(Array.from({ length: 6 }, publish));
    await publish();
    await Promise.all(Array.from({ length: 4 }, () => deliver()));
    for (const { receiver } of made) {
      const seqs = dataOf(receiver).map(({ seq }) => seq);
      expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
      expect(seqs).toHaveLength(20);
    }
  });
});

describe("the end of access", () => {
  it("a key that ends in two and a half days gets the event key.expiring once", async () => {
    const expires = new Date(Date.now() + 2.5 * 86_400_000);
    const owner = await subscriber({ expires_at: expires.toISOString() });
    await sql`update api_keys set created_at = now() - interval '20 days' where id = ${owner.keyId}`;
    await sql`update paid_time set created_at = now() - interval '20 days' where key_id = ${owner.keyId}`;
    const { receiver } = await endpointOf(owner);
    const hourLater = () =>
      publishEvents(
        workerDb(),
        { accessOf: computeReceiverAccess, readPrices: signalPrices },
        new Date(Date.now() + 3_600_000),
      );
    await hourLater();
    await publishEvents(
      workerDb(),
      { accessOf: computeReceiverAccess, readPrices: signalPrices },
      new Date(Date.now() + 7_200_000),
    );
    await deliver();
    expect(typesOf(receiver)).toEqual(["key.expiring"]);
    expect(dataOf(receiver)[0]).toMatchObject({ key_id: owner.keyId, days_remaining: 3, plan_tier: "pro" });
  });
});

describe("an extension", () => {
  it("an extension that leaves five days is followed by key.expiring three days before the new end", async () => {
    const owner = await subscriber({ expires_at: new Date(Date.now() + 2 * 86_400_000).toISOString() });
    await sql`update api_keys set created_at = now() - interval '20 days' where id = ${owner.keyId}`;
    await sql`update paid_time set created_at = now() - interval '20 days' where key_id = ${owner.keyId}`;
    const { receiver } = await endpointOf(owner);
    await changeKeyEnd(
      db(),
      owner.keyId,
      new Date(Date.now() + 5 * 86_400_000),
      { kind: "command" },
      new Date(),
    );
    for (const days of [0, 1, 2.5])
      await queueKeyExpiringEvents(db(), new Date(Date.now() + days * 86_400_000));
    await deliver();
    expect(dataOf(receiver)).toMatchObject([{ key_id: owner.keyId, days_remaining: 3 }]);
  });
});

describe("a receiver", () => {
  it("a failing receiver is tried ten times over a day, in order, with one id, then paused with a mail, and can be resumed", async () => {
    const { receiver, endpointId, owner } = await endpointOf(await subscriber({ email: "hook@example.com" }));
    receiver.answer((response) => response.writeHead(500).end("broken"));
    await ingest("signals", [signalItem({ symbol: newSymbol() }), signalItem({ symbol: newSymbol() })]);
    await publish();
    const pauses: number[] = [];
    for (let tries = 1; tries < 10; tries++) {
      await deliver();
      expect(receiver.received).toHaveLength(tries);
      const ms = (await pauseMs()) ?? 0;
      // Slightly too early, nothing is sent.
      await pass(ms - 5_000);
      await deliver();
      expect(receiver.received).toHaveLength(tries);
      await pass(5_000);
      pauses.push(ms);
    }
    await deliver();
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    for (const [n, ms] of pauses.entries()) {
      expect(ms).toBeGreaterThan(0.9 * RETRY_DELAYS_MS[n]! - 2_000);
      expect(ms).toBeLessThanOrEqual(1.1 * RETRY_DELAYS_MS[n]!);
    }
    const hours = pauses.reduce((sum, ms) => sum + ms, 0) / HOUR_MS;
    expect(hours).toBeGreaterThan(21);
    expect(hours).toBeLessThan(26);

    await deliver();
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const [endpoint] = await listEndpoints(db(), owner.subscriptionId);
    expect(endpoint).toMatchObject({ state: "paused", pauseReason: "failing" });
    const mails = await sql`select kind, props from mail_outbox where recipient = 'hook@example.com'`;
    expect(mails.filter(({ kind }) => kind === "webhook-paused")).toMatchObject([
      { props: { host: new URL(receiver.url).host, code: "status_500", attempts: 10 } },
    ]);
    const attempts = await listWebhookAttempts(db(), { ...owner, endpointId, limit: 200 });
    expect(attempts).toHaveLength(10);
    expect(attempts[0]).toMatchObject({ status: 500, code: "status_500", answer: "broken" });

    receiver.answer((response) => response.end());
    await pass(MINUTE_MS);
    await resumeEndpoint(db(), owner, endpointId, owner.actor);
    await deliver();
    expect(dataOf(receiver).at(-1).seq).toBe(dataOf(receiver)[0].seq + 1);
    await resendOutgoingWebhook(db(), owner, attempts[0]!.deliveryId, owner.actor);
    await deliver();
    expect(dataOf(receiver).at(-1).seq).toBe(dataOf(receiver)[0].seq);
  });

  it("a receiver that answers 500 for an hour misses nothing: the same event is repeated, then the others follow in order", async () => {
    const { receiver, owner } = await endpointOf(await subscriber());
    receiver.answer((response) => response.writeHead(500).end());
    const ingestAnother = () => ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await ingestAnother();
    for (let ms = 0; ms < HOUR_MS; ) {
      await publish();
      await deliver();
      const next = (await pauseMs()) ?? 0;
      await ingestAnother();
      await pass(next);
      ms += next;
    }
    const failed = receiver.received.length;
    receiver.answer((response) => response.end());
    await publish();
    await deliver();
    const seqs = dataOf(receiver).map(({ seq }) => seq);
    expect(new Set(seqs.slice(0, failed + 1)).size).toBe(1);
    const rest = seqs.slice(failed);
    expect(rest).toEqual(rest.map((_, i) => rest[0] + i));
    // One at the first failure, and one during each pause.
    expect(rest).toHaveLength(1 + failed);
    expect(await listEndpoints(db(), owner.subscriptionId)).toMatchObject([
      { state: "active", pauseReason: null },
    ]);
    expect(await pauseMs()).toBeNull();
  });

  it("a receiver that answers 410 is paused at once", async () => {
    const { receiver, owner } = await endpointOf(await subscriber());
    receiver.answer((response) => response.writeHead(410).end());
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await deliver();
    const [endpoint] = await listEndpoints(db(), owner.subscriptionId);
    expect(endpoint).toMatchObject({ state: "paused", pauseReason: "gone" });
  });

  it("a receiver that hangs does not delay another receiver", async () => {
    const owner = await subscriber();
    const slow = await endpointOf(owner);
    slow.receiver.answer(() => undefined);
    const quick = await endpointOf(await subscriber());
    await ingest(
      "signals",
      Array.from({ length: 10 }, () => signalItem({ symbol: newSymbol() })),
    );
    await publish();
    const startedAt = performance.now();
    const sending = deliver(5_000);
    while (quick.receiver.received.length < 10 && performance.now() - startedAt < 4_500)
      await new Promise((done) => setTimeout(done, 10));
    expect(quick.receiver.received).toHaveLength(10);
    expect(slow.receiver.received).toHaveLength(1);
    await sending;
  });

  it("a paused receiver gets nothing, and after it is resumed the event from during its pause", async () => {
    const { receiver, endpointId, owner } = await endpointOf(await subscriber());
    await pauseEndpoint(db(), owner, endpointId, owner.actor);
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await deliver();
    expect(receiver.received).toHaveLength(0);
    await resumeEndpoint(db(), owner, endpointId, owner.actor);
    await publish();
    await deliver();
    expect(receiver.received).toHaveLength(1);
  });
});

describe("an endpoint", () => {
  it("an endpoint verifies with both secrets after a rotation, and only with the new one once the former one has ended", async () => {
    const { receiver, endpointId, owner, secret } = await endpointOf(await subscriber());
    const next = await rotateEndpointSecret(db(), owner, endpointId, owner.actor);
    expect(next).not.toBe(secret);
    await queueTestDelivery(db(), owner, endpointId);
    await deliver();
    await sql`update webhook_endpoints set former_secret_until = now()`;
    await queueTestDelivery(db(), owner, endpointId);
    await deliver();
    const verify = (key: string, place: number) => () =>
      new Webhook(key).verify(
        receiver.received[place]!.body,
        receiver.received[place]!.headers as Record<string, string>,
      );
    expect(verify(secret, 0)()).toMatchObject({ type: "endpoint.test" });
    expect(verify(next, 0)()).toMatchObject({ type: "endpoint.test" });
    expect(verify(next, 1)()).toMatchObject({ type: "endpoint.test" });
    expect(verify(secret, 1)).toThrow();
  });

  it("an endpoint gets a test at once, even while other deliveries wait for a retry", async () => {
    const { receiver, endpointId, owner } = await endpointOf(await subscriber());
    receiver.answer((response) => response.writeHead(503).end());
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await deliver();
    await queueTestDelivery(db(), owner, endpointId);
    await deliver();
    expect(typesOf(receiver)).toEqual(["signal.created", "endpoint.test"]);
    const [endpoint] =
      await sql`select failures, next_attempt_at > now() + interval '5 seconds' as later from webhook_endpoints`;
    expect(endpoint).toEqual({ failures: 1, later: true });
  });

  it("an endpoint gets a test that was queued during a failing attempt right after that attempt", async () => {
    const { receiver, endpointId, owner } = await endpointOf(await subscriber());
    receiver.answer((response) => {
      receiver.answer((next) => next.writeHead(204).end());
      void queueTestDelivery(db(), owner, endpointId).then(() => response.writeHead(503).end());
    });
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await deliver(10_000);
    // The test arrived, so the signal is sent again at once.
    expect(typesOf(receiver)).toEqual(["signal.created", "endpoint.test", "signal.created"]);
  });

  it("of eight endpoints created at the same time for a subscription, five are stored", async () => {
    const owner = await subscriber();
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, () =>
        createEndpoint(
          db(),
          owner,
          { url: "https://hooks.example.com/", events: ["signal.created"] },
          owner.actor,
        ),
      ),
    );
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  });

  it("another subscriber can neither test, change nor remove an endpoint, nor list its attempts", async () => {
    const { endpointId, receiver } = await endpointOf(await subscriber());
    const other = await subscriber();
    const writes = db();
    await queueTestDelivery(writes, { ...other, subscriptionId: other.subscriptionId }, endpointId).then(
      () => expect.unreachable(),
      (error) => expect(error).toMatchObject({ code: "not_found" }),
    );
    for (const attempt of [
      () => pauseEndpoint(writes, other, endpointId, other.actor),
      () => resumeEndpoint(writes, other, endpointId, other.actor),
      () => removeEndpoint(writes, other, endpointId, other.actor),
      () => rotateEndpointSecret(writes, other, endpointId, other.actor),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: "not_found" });
    expect(
      await listWebhookAttempts(db(), { subscriptionId: other.subscriptionId, endpointId, limit: 10 }),
    ).toEqual([]);
    expect(receiver.received).toHaveLength(0);
  });

  it("an endpoint is refused for the plan Basic, without events and with an unknown event", async () => {
    const owner = await subscriber();
    const make = (planTier: "basic" | "pro", events: string[]) =>
      createEndpoint(db(), { ...owner, planTier }, { url: "https://a.example.com/", events }, owner.actor);
    await expect(make("basic", ["signal.created"])).rejects.toMatchObject({ code: "conflict" });
    await expect(make("pro", [])).rejects.toMatchObject({ errors: [{ loc: ["body", "events"] }] });
    await expect(make("pro", [randomUUID()])).rejects.toMatchObject({
      errors: [{ loc: ["body", "events"] }],
    });
  });
});
