/**
 * The server is killed during a payment delivery, and the platform sends it again. Uses the built server and a real SMTP
 * server.
 */

import type postgres from "postgres";
import postgresClient from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADVISORY_LOCKS } from "@/db/advisory-locks";
import { signBody } from "@/lib/payments/signature";
import { createDatabase } from "@/tests/support/database";
import { listLocks } from "@/tests/support/locks";
import { type MailCatcher, startMailCatcher } from "@/tests/support/mail-catcher";
import { freshEmail, paymentEvent, toBytes, WEBHOOK_SECRET } from "@/tests/support/payments";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";

let database: Awaited<ReturnType<typeof createDatabase>>;
let mail: MailCatcher;
let sql: postgres.Sql;
const running: RunningServer[] = [];

beforeAll(async () => {
  [database, mail] = await Promise.all([createDatabase(), startMailCatcher()]);
  sql = postgresClient(database.url, { max: 3, onnotice: () => undefined });
});
afterAll(async () => {
  for (const server of running) await server.kill();
  await sql.end();
  await mail.close();
  await database.drop();
});

async function start(): Promise<RunningServer> {
  const server = await startServer(database.url, {
    PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET,
    SMTP_URL: mail.url,
    MAIL_FROM: "Signals <signals@example.test>",
  });
  running.push(server);
  return server;
}

async function send(server: RunningServer, event: unknown): Promise<Response> {
  const body = Buffer.from(toBytes(event));
  return fetch(`${server.url}/webhooks/payment`, {
    method: "POST",
    body,
    headers: { "x-signature": signBody(body, WEBHOOK_SECRET) },
  });
}

const count = async (invoiceId: string) => {
  const [row] = await sql`
    select (select count(*)::int from payment_deliveries where invoice_id = ${invoiceId}) as deliveries,
           (select count(*)::int from invoices where invoice_id = ${invoiceId}) as invoices`;
  return row;
};

describe("a process crash", () => {
  it("a crash between commit and answer: the retry finds one key, and one mail arrives with a working key", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email, id: "w44" });
    // Holding the worker's lock keeps the mail queued until the process is dead.
    const holder = await sql.reserve();
    await holder`select pg_advisory_lock(${ADVISORY_LOCKS.worker})`;
    const server = await start();
    void send(server, event).catch(() => undefined);
    await waitUntil(async () => (await count("w44"))?.deliveries === 1, 10_000);
    await server.kill();
    await holder`select pg_advisory_unlock(${ADVISORY_LOCKS.worker})`;
    holder.release();

    const restartedAt = Date.now();
    const again = await start();
    const answer = await send(again, event);
    expect(await answer.json()).toMatchObject({ action: "already_provisioned" });
    await waitUntil(async () => mail.to(email).length > 0, 90_000);
    expect(Date.now() - restartedAt).toBeLessThan(90_000);
    // Waits long enough for a duplicate to arrive.
    await new Promise((done) => setTimeout(done, 3_000));
    expect(mail.to(email)).toHaveLength(1);
    const key = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(mail.to(email)[0]?.text ?? "")?.[0] ?? "";
    const me = await fetch(`${again.url}/api/account/me`, { headers: { "X-API-Key": key } });
    expect(me.status).toBe(200);
    const [row] = await sql`select secret_encrypted, status from mail_outbox where recipient = ${email}`;
    expect(row).toEqual({ secret_encrypted: null, status: "sent" });
    await again.kill();
  }, 150_000);

  it("a crash before the commit: nothing is stored, and the retry creates a key and sends one mail", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email, id: "w44-before" });
    const server = await start();
    const holder = await sql.reserve();
    await holder`begin`;
    // The transaction reaches its mail and waits there.
    await holder`lock table mail_outbox in exclusive mode`;
    void send(server, event).catch(() => undefined);
    const isWaitedFor = async () =>
      (await listLocks(sql)).some(({ table, granted }) => table === "mail_outbox" && !granted);
    await waitUntil(isWaitedFor, 10_000);
    await server.kill();
    await holder`rollback`;
    holder.release();
    await waitUntil(async () => {
      const [row] =
        await sql`select count(*)::int as n from pg_stat_activity where datname = current_database() and state = 'active' and query like '%mail_outbox%' and pid <> pg_backend_pid()`;
      return row?.n === 0;
    }, 10_000);
    expect(await count("w44-before")).toEqual({ deliveries: 0, invoices: 0 });

    const again = await start();
    expect(await (await send(again, event)).json()).toMatchObject({ action: "api_key_created" });
    await waitUntil(async () => mail.to(email).length > 0, 10_000);
    expect(mail.to(email)).toHaveLength(1);
    expect(await again.stop()).toBe(0);
  }, 120_000);
});
