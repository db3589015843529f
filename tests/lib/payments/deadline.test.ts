import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADVISORY_LOCK_NAMESPACES } from "@/db/advisory-locks";
import { db } from "@/db/client";
import { receiveReport } from "@/lib/executions/receive-report";
import { generic } from "@/lib/payments/adapters/generic";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { listLocks } from "@/tests/support/locks";
import { freshEmail, paymentEvent, toBytes, WEBHOOK_SECRET } from "@/tests/support/payments";
import { waitUntil } from "@/tests/support/server";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET, TUNING: "timeout-factor=1" });

let sql: postgres.Sql;
let other: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
  other = connectDirectly(1);
});
afterAll(() => Promise.all([sql.end(), other.end()]));

const PATIENT_MS = 60_000;
const ACTOR = { kind: "webhook", requestId: "r" } as const;
const receive = (event: unknown, withinMs: number) =>
  receiveDelivery(db(), generic, Buffer.from(toBytes(event)), ACTOR, withinMs);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "answered",
    (error: { code?: string }) => error.code,
  );

/** Repeats a call until it succeeds, and returns its answer. Work that missed its deadline before may still finish. */
async function repeated<T>(ask: () => Promise<T>): Promise<T> {
  let answer: { value: T } | null = null;
  await waitUntil(async () => {
    answer = await ask().then(
      (value) => ({ value }),
      () => null,
    );
    return answer !== null;
  }, 20_000);
  return (answer as unknown as { value: T }).value;
}

/** Runs `work` while another transaction holds the locks of `take`. */
async function whileTaken(
  take: (tx: postgres.TransactionSql) => Promise<unknown>,
  work: () => Promise<void>,
) {
  await other
    .begin(async (tx) => {
      await take(tx);
      await work();
      throw new Error("taken back");
    })
    .catch((error: Error) => {
      if (error.message !== "taken back") throw error;
    });
}

const takeBuyer = (email: string) => (tx: postgres.TransactionSql) =>
  tx`select pg_advisory_xact_lock(hashtextextended(${email}, ${ADVISORY_LOCK_NAMESPACES.buyer}))`;

async function isLockWaitedFor(kind: string): Promise<boolean> {
  return (await listLocks(sql)).some((lock) => lock.kind === kind && !lock.granted);
}

describe("the deadline of a delivery", () => {
  it("a delivery past its deadline fails while its transaction waits, and the same bytes sent later leave one key and one mail", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email });
    await whileTaken(takeBuyer(email), async () => {
      expect(await codeOf(receive(event, 300))).toBe("DEADLINE");
    });
    const answer = await repeated(() => receive(event, PATIENT_MS));
    expect(["api_key_created", "already_provisioned"]).toContain(answer.action);
    const [counts] = await sql`
      select (select count(*)::int from api_keys k join subscriptions s on s.id = k.subscription_id
               where s.email_normalized = ${email}) as keys,
             (select count(*)::int from mail_outbox where recipient = ${email}) as mails,
             (select count(*)::int from invoices where invoice_id = ${String(event.data.id)}) as invoices`;
    expect(counts).toEqual({ keys: 1, mails: 1, invoices: 1 });
  });

  it("the deadline includes the wait in the buyer's queue: a delivery that waits too long is not processed", async () => {
    const email = freshEmail();
    const [first, second] = [paymentEvent({ email }), paymentEvent({ email })];
    let ahead: Promise<unknown> = Promise.resolve();
    await whileTaken(takeBuyer(email), async () => {
      ahead = codeOf(receive(first, PATIENT_MS));
      await waitUntil(() => isLockWaitedFor("advisory"), 10_000);
      expect(await codeOf(receive(second, 200))).toBe("DEADLINE");
    });
    await ahead;
    const rows = await sql`select 1 from payment_deliveries where invoice_id = ${String(second.data.id)}`;
    expect(rows).toHaveLength(0);
    await repeated(() => receive(first, PATIENT_MS));
    expect((await repeated(() => receive(second, PATIENT_MS))).action).toBe("already_provisioned");
  });
});

it("a payment waits for a locked table before it takes its locks, at most for the short timeout of its pool", async () => {
  const event = paymentEvent();
  const lockTable = (tx: postgres.TransactionSql) => tx`lock table mail_outbox in access exclusive mode`;
  await whileTaken(lockTable, async () => {
    const refused = receive(event, PATIENT_MS).catch((error: Error) => error.cause);
    await waitUntil(() => isLockWaitedFor("relation"), 10_000);
    expect((await listLocks(sql)).filter(({ kind }) => kind === "advisory")).toEqual([]);
    expect(await refused).toMatchObject({ code: "55P03" });
  });
  expect((await repeated(() => receive(event, PATIENT_MS))).action).toBe("api_key_created");
});

describe("the deadline of a report", () => {
  it("an EA's report past its deadline fails while its transaction waits, and after a repetition the position is stored once", async () => {
    const { keyId } = await makeKey();
    const [key] = await sql`select subscription_id from api_keys where id = ${keyId}`;
    const subscriptionId = Number(key?.subscription_id);
    const reporter = { subscriptionId, keyId, requestId: "r", closeOnly: null, seenAt: new Date() };
    const body = JSON.stringify({ ticket: 1, symbol: "EURUSD", timeframe: "H1", signal: "BUY" });
    const report = (withinMs: number) => receiveReport(db(), reporter, body, new Set(["EURUSD"]), withinMs);
    const takeTicket = (tx: postgres.TransactionSql) => tx`
      insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at)
      values (${subscriptionId}, 1, 'EURUSD', 'EURUSD', 'H1', 'BUY', now())`;
    await whileTaken(takeTicket, async () => {
      expect(await codeOf(report(100))).toBe("DEADLINE");
    });
    await repeated(() => report(PATIENT_MS));
    const rows = await sql`select ticket from executions where subscription_id = ${subscriptionId}`;
    expect(rows).toHaveLength(1);
  });
});
