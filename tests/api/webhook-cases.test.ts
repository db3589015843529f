/** Cases of the generic payment webhook: signature, transport, content, identity, concurrency and order. */

import { createHmac } from "node:crypto";
import { request } from "node:http";
import { gzipSync } from "node:zlib";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { isSignatureValid, signBody } from "@/lib/payments/signature";
import { env, parseEnv } from "@/lib/runtime/env";
import { decrypt } from "@/lib/runtime/secrets";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { call } from "@/tests/support/api";
import { sendRaw, startApiServer } from "@/tests/support/api-server";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import {
  deliver,
  deliverUntilAccepted,
  freshEmail,
  paymentEvent,
  toBytes,
  WEBHOOK_SECRET,
} from "@/tests/support/payments";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

let sql: postgres.Sql;
let wire: Awaited<ReturnType<typeof startApiServer>>;
beforeAll(async () => {
  sql = connectDirectly();
  wire = await startApiServer();
});
afterAll(async () => {
  await wire.close();
  await sql.end();
});

const sign = (body: unknown) => signBody(toBytes(body), WEBHOOK_SECRET);
const keysOf = (email: string) => sql`
  select k.id, k.revoked_at from api_keys k join subscriptions s on s.id = k.subscription_id
   where s.email_normalized = ${email.toLowerCase()} order by k.id`;
const mailsTo = (email: string) =>
  sql`select kind from mail_outbox where lower(recipient) = ${email.toLowerCase()} order by id`;

async function mailedKey(email: string): Promise<string> {
  const [mail] =
    await sql`select secret_encrypted from mail_outbox where recipient = ${email} order by id limit 1`;
  return decrypt(mail!.secret_encrypted);
}

async function expectRefused(answer: { status: number; json: unknown }) {
  expect(answer.status).toBe(403);
  expect(answer.json).toEqual({
    detail: "The signature of this delivery is invalid.",
    code: "signature_invalid",
    request_id: expect.any(String),
  });
}

describe("signature", () => {
  it("a missing signature is refused", async () => {
    await expectRefused(await deliver(paymentEvent(), { signature: null }));
  });
  it("an empty signature is refused", async () => {
    await expectRefused(await deliver(paymentEvent(), { signature: "" }));
  });
  it("a signature in upper-case hexadecimal digits is accepted", async () => {
    const event = paymentEvent();
    expect((await deliver(event, { signature: sign(event).toUpperCase() })).status).toBe(200);
  });
  it("spaces around the signature are accepted", async () => {
    const event = paymentEvent();
    expect((await deliver(event, { signature: `  ${sign(event)} ` })).status).toBe(200);
  });
  it("a signature with the prefix sha256= is refused", async () => {
    const event = paymentEvent();
    await expectRefused(await deliver(event, { signature: `sha256=${sign(event)}` }));
  });
  it.each([63, 65])("a signature of %i hexadecimal digits is refused", async (length) => {
    const event = paymentEvent();
    await expectRefused(await deliver(event, { signature: `${sign(event)}0`.slice(0, length) }));
  });
  it("a signature with a character that is not hexadecimal is refused", async () => {
    const event = paymentEvent();
    await expectRefused(await deliver(event, { signature: `z${sign(event).slice(1)}` }));
  });
  it("a signature with the right digest in base64 is refused", async () => {
    const event = paymentEvent();
    const signature = createHmac("sha256", WEBHOOK_SECRET).update(toBytes(event)).digest("base64");
    await expectRefused(await deliver(event, { signature }));
  });
  it("a repeated signature header is refused, even twice the right one", async () => {
    const body = toBytes(paymentEvent());
    const head = [
      "POST /webhooks/payment HTTP/1.1",
      "Host: localhost",
      `X-Signature: ${sign(body)}`,
      `X-Signature: ${sign(body)}`,
      `Content-Length: ${body.length}`,
      "Connection: close",
      "",
      Buffer.from(body).toString("utf8"),
    ].join("\r\n");
    expect(await sendRaw(wire.port, head).answer).toMatch(/^HTTP\/1\.1 403 /);
  });

  describe("without a secret", () => {
    afterEach(() => {
      Object.assign(env().serviceSecrets, { PAYMENT_WEBHOOK_SECRET: [WEBHOOK_SECRET] });
    });
    it("without a configured secret, a delivery is refused unsigned, signed with the former secret or with an empty one", async () => {
      Object.assign(env().serviceSecrets, { PAYMENT_WEBHOOK_SECRET: [] });
      const event = paymentEvent();
      const empty = createHmac("sha256", "").update(toBytes(event)).digest("hex");
      await expectRefused(await deliver(event, { signature: empty }));
      await expectRefused(await deliver(event));
      await expectRefused(await deliver("", { signature: null }));
    });
    it("a configured secret of white space counts as none", () => {
      expect(
        parseEnv({ PAYMENT_WEBHOOK_SECRET: "  \t ", DATA_DIR: env().dataDir }).serviceSecrets
          .PAYMENT_WEBHOOK_SECRET,
      ).toEqual([]);
      const body = toBytes("{}");
      for (const blank of ["", "   ", "\t\n"]) {
        const signature = createHmac("sha256", blank).update(body).digest("hex");
        expect(isSignatureValid(body, signature, blank)).toBe(false);
      }
    });
  });

  it("a body with one flipped bit is refused, tried at every 17th byte", async () => {
    const body = Buffer.from(toBytes(paymentEvent()));
    const signature = sign(body);
    for (let i = 0; i < body.length; i += 17) {
      const changed = Buffer.from(body);
      changed[i] = (changed[i] ?? 0) ^ 1;
      await expectRefused(await deliver(changed, { signature }));
    }
  });
  it("the same JSON in another serialisation is refused", async () => {
    const event = paymentEvent();
    await expectRefused(await deliver(JSON.stringify(event, null, 1), { signature: sign(event) }));
  });
  it("a BOM, CRLF and a trailing newline are part of the signed bytes and accepted", async () => {
    const text = JSON.stringify(paymentEvent(), null, 2).replaceAll("\n", "\r\n");
    const withAll = `\uFEFF${text}\r\n`;
    await expectRefused(await deliver(withAll, { signature: sign(text) }));
    expect((await deliver(withAll)).json.action).toBe("api_key_created");
  });
  it("invalid UTF-8 is verified as bytes and then refused as a payload", async () => {
    const body = Buffer.concat([Buffer.from('{"event":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    await expectRefused(await deliver(body, { signature: sign(body.toString("utf8")) }));
    const answer = await deliver(body);
    expect(answer.status).toBe(400);
    expect(answer.json.code).toBe("invalid_payload");
  });
  it("a signature of a replaced secret is refused", async () => {
    const event = paymentEvent();
    await expectRefused(
      await deliver(event, { signature: signBody(toBytes(event), "the-former-secret-0123456789") }),
    );
  });
  it("a signature of 64 non-ASCII characters is refused without an error", async () => {
    await expectRefused(await deliver(paymentEvent(), { signature: "\u00e9".repeat(64) }));
    await expectRefused(await deliver(paymentEvent(), { signature: "\u00e9".repeat(32) }));
  });
});

describe("transport", () => {
  it.each(["text/plain", "application/x-www-form-urlencoded", "nonsense", ""])(
    "Content-Type %j does not matter",
    async (type) => {
      const answer = await deliver(paymentEvent(), { headers: { "Content-Type": type } });
      expect(answer.json.action).toBe("api_key_created");
    },
  );
  it("a compressed body is refused for its encoding, after its signature over the compressed bytes was verified", async () => {
    const body = gzipSync(JSON.stringify(paymentEvent()));
    const headers = { "Content-Encoding": "gzip" };
    await expectRefused(await deliver(body, { signature: sign(paymentEvent()), headers }));
    expect((await deliver(body, { headers })).status).toBe(415);
  });
  it("a chunked body is read completely", async () => {
    const body = Buffer.from(toBytes(paymentEvent()));
    const answer = await new Promise<string>((done, fail) => {
      const sending = request(`${wire.url}/webhooks/payment`, {
        method: "POST",
        headers: { "X-Signature": sign(body), "Transfer-Encoding": "chunked" },
      });
      sending.on("response", (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => done(text));
      });
      sending.on("error", fail);
      for (let i = 0; i < body.length; i += 50) sending.write(body.subarray(i, i + 50));
      sending.end();
    });
    expect(JSON.parse(answer).action).toBe("api_key_created");
  });
  it("a body past 64 KiB is refused with 413 before its signature is computed", async () => {
    const large = JSON.stringify(paymentEvent({ name: "x".repeat(300_000) }));
    const answer = await deliver(large, { signature: "00" });
    expect(answer.status).toBe(413);
    expect(answer.json.code).toBe("body_too_large");
    const largest = Buffer.alloc(64 * 1024, " ");
    largest.write(JSON.stringify(paymentEvent()));
    expect((await deliver(largest)).status).toBe(200);
  });
  it.each([
    ["declared", "Content-Length: 1073741824\r\n\r\n"],
    ["endless", "Transfer-Encoding: chunked\r\n\r\n"],
  ])("a body of a gigabyte, %s, is cut off with 413", async (_name, headers) => {
    const { socket, answer } = sendRaw(
      wire.port,
      `POST /webhooks/payment HTTP/1.1\r\nHost: localhost\r\nX-Signature: 00\r\n${headers}`,
    );
    let written = 0;
    const chunk = "x".repeat(16 * 1024);
    const closed = new Promise<void>((done) => socket.on("close", () => done()));
    const pump = setInterval(() => {
      if (socket.destroyed) return;
      written += chunk.length;
      socket.write(headers.startsWith("Transfer") ? `4000\r\n${chunk}\r\n` : chunk);
    }, 2);
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    await closed;
    clearInterval(pump);
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });
  it("a body that does not arrive within ten seconds is refused", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(toBytes('{"event":')) });
      const app = apiApp(MOUNTS);
      const init = { method: "POST", body, duplex: "half", headers: { "x-signature": "00" } };
      const answering = app.fetch(new Request("http://localhost/webhooks/payment", init));
      await vi.advanceTimersByTimeAsync(10_001);
      const answer = await answering;
      expect(answer.status).toBe(408);
      expect(answer.headers.get("connection")).toBe("close");
    } finally {
      vi.useRealTimers();
    }
  });
  it.each(["GET", "PUT", "PATCH", "DELETE"])(
    "%s to the payment webhook is refused with 405 and Allow",
    async (method) => {
      const answer = await call(method, "/webhooks/payment");
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("POST, OPTIONS");
      expect(answer.json.code).toBe("method_not_allowed");
    },
  );
  it("a client that disconnects midway leaves nothing stored", async () => {
    const event = paymentEvent();
    const body = Buffer.from(toBytes(event));
    const { socket } = sendRaw(
      wire.port,
      `POST /webhooks/payment HTTP/1.1\r\nHost: localhost\r\nX-Signature: ${sign(event)}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 40));
    await new Promise((done) => setTimeout(done, 50));
    socket.destroy();
    expect((await fetch(`${wire.url}/webhooks/payment`, { method: "POST" })).status).toBe(403);
    expect(
      await sql`select 1 from payment_deliveries where invoice_id = ${event.data.id as string}`,
    ).toHaveLength(0);
  });
});

describe("content", () => {
  it.each(["", "{", "nonsense", '{"event":}', `${"[".repeat(21)}${"]".repeat(21)}`, '{"event":"\\u0000"}'])(
    "the body %j is answered 400 invalid_payload and stored as rejected",
    async (body) => {
      const rejected = () =>
        sql`select reason from payment_deliveries where action = 'rejected' order by id desc`;
      const before = await rejected();
      const answer = await deliver(body);
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({ code: "invalid_payload", detail: expect.any(String) });
      expect(await rejected()).toEqual([{ reason: "invalid_payload" }, ...before]);
    },
  );
  it.each(["[]", "null", "7", '"text"', "true"])(
    "the body %s, which is not an object, is 400 invalid_payload",
    async (body) => {
      expect(await deliver(body)).toMatchObject({ status: 400, json: { code: "invalid_payload" } });
    },
  );
  it.each([
    ["no data", { event: "payment.invoice_paid" }, "status_not_paid"],
    ["a list as data", { event: "payment.invoice_paid", data: [1] }, "status_not_paid"],
    [
      "no buyer",
      { event: "payment.invoice_paid", data: { id: "missing-b", status: "paid", items: [] } },
      "missing_buyer_email",
    ],
    [
      "a text as buyer",
      { event: "payment.invoice_paid", data: { id: "missing-k", status: "paid", buyer: "Ada" } },
      "missing_buyer_email",
    ],
    [
      "no e-mail address",
      { event: "payment.invoice_paid", data: { id: "missing-e", status: "paid", buyer: {} } },
      "missing_buyer_email",
    ],
  ])("a payment event with %s is ignored with 200", async (_name, body, reason) => {
    const { status, json } = await deliver(body);
    expect([status, json]).toEqual([
      200,
      {
        ok: true,
        action: "ignored",
        event: "payment.invoice_paid",
        reason,
      },
    ]);
  });
  it("an invoice without an id is identified by its bytes and flagged for review", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email, id: undefined });
    expect((await deliver(event)).json.action).toBe("api_key_created");
    expect((await deliver(event)).json.action).toBe("already_provisioned");
    const [row] =
      await sql`select flags, n_received from payment_deliveries where flags = '{missing_invoice_id}'`;
    expect(row).toMatchObject({ flags: ["missing_invoice_id"], n_received: 2 });
  });
  it.each([
    ["missing", undefined],
    ["empty", []],
    ["that are a text", "3031367"],
    ["whose first is null", [null]],
  ])("a payment with items %s buys basic and is flagged for review", async (_name, items) => {
    const event = paymentEvent({ items });
    expect((await deliver(event)).json).toMatchObject({ action: "api_key_created", plan: "basic" });
    const [row] =
      await sql`select flags from payment_deliveries where invoice_id = ${event.data.id as string}`;
    expect(row!.flags).toEqual(["unmapped_product", "unknown_plan"]);
  });
  it("a numeric product id equals its text", async () => {
    expect((await deliver(paymentEvent({ productId: 3031358 }))).json.plan).toBe("telegram");
  });
  it.each([
    ["Pro yearly", "pro"],
    ["BASIC plan", "basic"],
    ["Pro and Basic", "pro"],
    ["Basic for professionals", "basic"],
    ["profile", "pro"],
    ["gold", "basic"],
    ["\u0440ro (Cyrillic)", "basic"],
  ])("an unknown product named %j buys %s", async (itemName, plan) => {
    expect((await deliver(paymentEvent({ productId: "77", itemName }))).json.plan).toBe(plan);
  });
  it.each([0, -1, 1e9, "many", null])("quantity %j buys one period", async (quantity) => {
    const paidAt = new Date(Math.floor(Date.now() / 1000) * 1000);
    const items = [{ productId: "3031361", name: "x", quantity, amount: -5 }];
    const answer = await deliver(paymentEvent({ items, paid_at: paidAt.toISOString() }));
    expect(Date.parse(answer.json.expires) - paidAt.getTime()).toBe(34 * 86_400_000);
  });
  it.each(["PAID", "pending", "", undefined, 1])(
    "status %j does not count as paid: ignored, no key",
    async (status) => {
      const email = freshEmail();
      expect((await deliver(paymentEvent({ email, status }))).json).toEqual({
        ok: true,
        action: "ignored",
        event: "payment.invoice_paid",
        reason: "status_not_paid",
      });
      expect(await keysOf(email)).toHaveLength(0);
    },
  );
  it.each(["payment.invoice_created", "", undefined, 7, "\ud800", "x".repeat(5000)])(
    "event %j is unknown: ignored with 200",
    async (event) => {
      const answer = await deliver(paymentEvent({ event }));
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ action: "ignored", reason: "unknown_event" });
    },
  );
  it("event names are case-sensitive", async () => {
    const answer = await deliver(paymentEvent({ event: "PAYMENT.INVOICE_PAID" }));
    expect(answer.json.reason).toBe("unknown_event");
  });
  it("a payment with a lone surrogate, control characters and ids of 40,000 and 20,000 letters creates a key, once", async () => {
    const event = paymentEvent({
      name: "\ud800 \u0001\r\nBcc: x",
      id: "i".repeat(40_000),
      productId: "p".repeat(20_000),
    });
    expect((await deliver(event)).json.action).toBe("api_key_created");
    expect((await deliver({ ...event, again: 1 })).json.action).toBe("already_provisioned");
  });
  it.each(["never", "2026-02-30T00:00:00Z", "9999-01-01T00:00:00Z", "1970-01-01T00:00:00Z", 17, null])(
    "paid_at %j is not trusted: access counts from receipt",
    async (paid_at) => {
      const before = Math.floor(Date.now() / 1000) * 1000;
      const answer = await deliver(paymentEvent({ paid_at }));
      const days = (Date.parse(answer.json.expires) - before) / 86_400_000;
      expect(days).toBeGreaterThanOrEqual(34);
      expect(days).toBeLessThan(34.001);
    },
  );
});

describe("identity", () => {
  it("case and spaces do not make another buyer, and the original spelling of the address is stored", async () => {
    const email = `  Buyer.Case+x@Example.COM `;
    const first = await deliver(paymentEvent({ email }));
    expect((await deliver(paymentEvent({ email: "buyer.case+x@example.com" }))).json).toMatchObject({
      action: "already_provisioned",
      key_id: first.json.key_id,
    });
    const [row] =
      await sql`select email, email_normalized from subscriptions where email_normalized like 'buyer.case%'`;
    expect(row).toEqual({ email: "Buyer.Case+x@Example.COM", email_normalized: "buyer.case+x@example.com" });
    const other = await deliver(paymentEvent({ email: "buyer.case@example.com" }));
    expect(other.json.action).toBe("api_key_created");
  });
  it.each([
    "buyer\uff20example.com",
    "\uff42uyer@example.com",
    '"a b"@example.com',
    "a@b@example.com",
    "a@example.com,b@example.com",
    "a@example.com\r\nBcc: c@example.com",
    `${"l".repeat(300)}@example.com`,
    "no-domain@",
    "plain",
    "",
    7,
    null,
  ])("address %j is undeliverable: ignored, no mail", async (email) => {
    const [before] = await sql`select count(*) from mail_outbox`;
    const answer = await deliver(paymentEvent({ email }));
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ action: "ignored", reason: "missing_buyer_email" });
    expect((await sql`select count(*) from mail_outbox`)[0]).toEqual(before);
  });
  it("an internationalised address is accepted, and its decomposed form with an upper-case domain is the same buyer", async () => {
    const email = "grüße@münchen.example";
    expect((await deliver(paymentEvent({ email }))).json.action).toBe("api_key_created");
    expect(
      (await deliver(paymentEvent({ email: "grüße@MÜNCHEN.example".normalize("NFD") }))).json.action,
    ).toBe("already_provisioned");
  });
});

describe("concurrency and order", () => {
  it.each([50, 100])("%i identical concurrent deliveries create one key and one mail", async (n) => {
    const email = freshEmail();
    const event = paymentEvent({ email });
    const answers = await Promise.all(Array.from({ length: n }, () => deliver(event)));
    const actions = answers.map((answer) => answer.json.action);
    expect(actions.filter((action) => action === "api_key_created")).toHaveLength(1);
    expect(actions.filter((action) => action === "already_provisioned")).toHaveLength(n - 1);
    expect(await keysOf(email)).toHaveLength(1);
    expect(await mailsTo(email)).toHaveLength(1);
    const [row] =
      await sql`select n_received from payment_deliveries where invoice_id = ${event.data.id as string}`;
    expect(row!.n_received).toBe(n);
  });
  it("ten concurrent invoices of one buyer create one key with the days of all", async () => {
    const email = freshEmail();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => deliverUntilAccepted(paymentEvent({ email }))),
    );
    expect(answers.filter((answer) => answer.json.action === "api_key_created")).toHaveLength(1);
    expect(await keysOf(email)).toHaveLength(1);
    const renewed = await sql`
      select k.expires_at - now() > interval '312 days' as all_counted
        from api_keys k join subscriptions s on s.id = k.subscription_id where s.email_normalized = ${email}`;
    expect(renewed[0]!.all_counted).toBe(true);
  });
  it("a concurrent payment and refund leave no active key, whichever was sent first", async () => {
    for (let round = 0; round < 20; round++) {
      const email = freshEmail();
      const id = `paid-${round}`;
      const both = [
        paymentEvent({ email, id }),
        paymentEvent({ event: "payment.invoice_refunded", email, id }),
      ];
      if (round % 2) both.reverse();
      await Promise.all(both.map((event) => deliver(event)));
      expect((await keysOf(email)).filter((key) => key.revoked_at === null)).toHaveLength(0);
    }
  });
  it("a refund of an unknown payment is listed for review if it names a buyer, until its payment explains it", async () => {
    const review = async (event: string, id: string) => {
      const [row] = await sql`
        select flags, reviewed_at is not null as reviewed from payment_deliveries where event = ${event} and invoice_id = ${id}`;
      return row;
    };
    const [email, id] = [freshEmail(), `unknown-${freshEmail()}`];
    const refund = paymentEvent({ event: "payment.invoice_refunded", email, id });
    expect((await deliver(refund)).json).toMatchObject({ action: "access_revoked", keys_revoked: 0 });
    expect(await review("payment.invoice_refunded", id)).toEqual({
      flags: ["unknown_invoice"],
      reviewed: false,
    });
    expect((await deliver(paymentEvent({ email, id }))).json).toMatchObject({ reason: "invoice_ended" });
    expect(await review("payment.invoice_refunded", id)).toEqual({
      flags: ["unknown_invoice"],
      reviewed: true,
    });

    const bare = { event: "payment.invoice_canceled", data: { id: `bare-${id}` } };
    await deliver(bare);
    expect(await review(bare.event, bare.data.id)).toEqual({ flags: [], reviewed: false });
  });

  it("a refund before its payment ends the invoice, and the payment creates no key", async () => {
    const email = freshEmail();
    const refund = await deliver(
      paymentEvent({ event: "payment.invoice_refunded", email, id: "refunded-early" }),
    );
    expect(refund.json).toMatchObject({ action: "access_revoked", keys_revoked: 0 });
    const paid = await deliver(paymentEvent({ email, id: "refunded-early" }));
    expect(paid.json).toMatchObject({ action: "ignored", reason: "invoice_ended" });
    expect(await keysOf(email)).toHaveLength(0);
    expect(await mailsTo(email)).toHaveLength(0);
  });
  it("a cancellation without a buyer that arrives before its payment ends the invoice", async () => {
    await deliver(paymentEvent({ event: "payment.invoice_canceled", email: undefined, id: "ended-early" }));
    expect((await deliver(paymentEvent({ id: "ended-early" }))).json.reason).toBe("invoice_ended");
  });
  it("a replayed payment after its refund creates no key", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email, id: "order" });
    await deliver(event);
    await deliver(paymentEvent({ event: "payment.invoice_refunded", email, id: "order" }));
    expect((await deliver(event)).json).toMatchObject({ action: "ignored", reason: "invoice_ended" });
    expect((await keysOf(email)).filter((key) => key.revoked_at === null)).toHaveLength(0);
  });
  it("ten refunds of one invoice revoke once and send one mail", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, id: "pair" }));
    const refund = paymentEvent({ event: "payment.invoice_refunded", email, id: "pair" });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => deliver(i < 5 ? refund : { ...refund, i })),
    );
    expect(answers.map((answer) => answer.json.keys_revoked).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect((await mailsTo(email)).map((mail) => mail.kind)).toEqual(["key-created", "access-revoked"]);
  });
  it("a replayed refund leaves the key of a later purchase active", async () => {
    const email = freshEmail();
    const refund = paymentEvent({ event: "payment.invoice_refunded", email, id: "old" });
    await deliver(paymentEvent({ email, id: "old" }));
    await deliver(refund);
    await deliver(paymentEvent({ email, id: "new" }));
    expect((await deliver(refund)).json.keys_revoked).toBe(0);
    expect((await keysOf(email)).filter((key) => key.revoked_at === null)).toHaveLength(1);
  });
  it("a refund concurrent with rotations leaves no active key", async () => {
    for (let round = 0; round < 20; round++) {
      const email = freshEmail();
      await deliver(paymentEvent({ email }));
      const key = await mailedKey(email);
      const [refund, ...rotations] = await Promise.all([
        deliver(paymentEvent({ event: "payment.invoice_refunded", email })),
        call("POST", "/api/account/regenerate-key", { key }),
        call("POST", "/api/account/regenerate-key", { key }),
      ]);
      expect(refund.json).toMatchObject({ action: "access_revoked", keys_revoked: 1 });
      for (const rotation of rotations) expect([200, 401]).toContain(rotation.status);
      const [row] = await sql`
        select count(*)::int as n from api_keys k join subscriptions s on s.id = k.subscription_id
         where s.email_normalized = ${email} and k.revoked_at is null and k.rotated_at is null`;
      expect(row!.n).toBe(0);
    }
  });
  it("a renewal concurrent with a rotation extends one key and creates no other", async () => {
    for (let round = 0; round < 20; round++) {
      const email = freshEmail();
      await deliver(paymentEvent({ email }));
      const key = await mailedKey(email);
      const [renewal, rotation] = await Promise.all([
        deliver(paymentEvent({ email })),
        call("POST", "/api/account/regenerate-key", { key }),
      ]);
      expect(renewal.json.action).toBe("already_provisioned");
      expect(rotation.status).toBe(200);
      const rows = await sql`
        select k.expires_at > now() + interval '60 days' as extended
          from api_keys k join subscriptions s on s.id = k.subscription_id
         where s.email_normalized = ${email} and k.revoked_at is null and k.rotated_at is null`;
      expect(rows).toEqual([{ extended: true }]);
    }
  });
});
