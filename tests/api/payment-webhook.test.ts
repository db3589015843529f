import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { env } from "@/lib/runtime/env";
import { decrypt } from "@/lib/runtime/secrets";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { deliver, freshEmail, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

const DAY_MS = 86_400_000;
let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());

const keysOf = (email: string) => sql`
  select k.id, k.plan_tier, k.expires_at, k.revoked_at, k.key_hash, k.subscription_id
    from api_keys k join subscriptions s on s.id = k.subscription_id
   where s.email_normalized = ${email.toLowerCase()} order by k.id`;
const mailsTo = (email: string) => sql`select * from mail_outbox where recipient = ${email} order by id`;
const expire = (keyId: number) =>
  sql`update api_keys set expires_at = now() - interval '1 day' where id = ${keyId}`;

describe("events of the specification", () => {
  it("payment.invoice_paid without an active key of the buyer creates a key and queues its mail", async () => {
    const email = freshEmail();
    const paidAt = new Date(Date.now() - 60_000);
    const answer = await deliver(
      paymentEvent({ email, productId: "3031361", paid_at: paidAt.toISOString() }),
    );
    expect(answer.status).toBe(200);
    const expires = new Date(paidAt.getTime() + 34 * DAY_MS);
    expect(answer.text).toBe(
      `{"ok":true,"action":"api_key_created","plan":"basic","key_id":${answer.json.key_id},` +
        `"expires":"${expires.toISOString().slice(0, 19)}Z","email_sent":false}`,
    );
    const [mail] = await mailsTo(email);
    expect(mail).toMatchObject({
      kind: "key-created",
      status: "pending",
      props: { userName: "Ada Lovelace", planTier: "basic" },
    });
    const key = decrypt(mail!.secret_encrypted);
    const me = await call("GET", "/api/account/me", { key });
    expect(me.json).toMatchObject({ plan_tier: "basic", email, user_name: "Ada Lovelace" });
  });

  it("payment.invoice_paid with an active key of the buyer creates nothing and answers already_provisioned", async () => {
    const email = freshEmail();
    const first = await deliver(paymentEvent({ email }));
    const second = await deliver(paymentEvent({ email }));
    expect(second.text).toBe(
      `{"ok":true,"action":"already_provisioned","plan":"pro","key_id":${first.json.key_id}}`,
    );
    expect(await keysOf(email)).toHaveLength(1);
    expect((await mailsTo(email)).map((mail) => mail.kind)).toEqual(["key-created", "renewed"]);
  });

  it.each(["payment.invoice_canceled", "payment.invoice_refunded", "payment.invoice_chargeback"])(
    "%s revokes the buyer's keys and queues one mail about the revocation",
    async (event) => {
      const email = freshEmail();
      await deliver(paymentEvent({ email, id: `X-${email}` }));
      await makeKey({ email });
      const answer = await deliver(paymentEvent({ event, email, id: `X-${email}` }));
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(`{"ok":true,"action":"access_revoked","event":"${event}","keys_revoked":2}`);
      for (const key of await keysOf(email)) expect(key.revoked_at).not.toBeNull();
      const mails = await mailsTo(email);
      // One mail per key, including a manually created one, and one about their end.
      expect(mails.map((mail) => mail.kind)).toEqual(["key-created", "key-created", "access-revoked"]);
      expect(mails[2]).toMatchObject({ props: { event, keysRevoked: 2 }, secret_encrypted: null });
    },
  );

  it("an unknown event is ignored with 200", async () => {
    const answer = await deliver(paymentEvent({ event: "payment.invoice_viewed" }));
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      '{"ok":true,"action":"ignored","event":"payment.invoice_viewed","reason":"unknown_event"}',
    );
  });

  it("the path /webhooks/payments answers like /webhooks/payment", async () => {
    const email = freshEmail();
    const answer = await deliver(paymentEvent({ email }), { path: "/webhooks/payments" });
    expect(answer.json.action).toBe("api_key_created");
    const again = await deliver(paymentEvent({ email }), { path: "/webhooks/payment" });
    expect(again.json).toMatchObject({ action: "already_provisioned", key_id: answer.json.key_id });
  });
});

describe("the product map", () => {
  it.each([
    ["3031067", "telegram", "parent product", 34],
    ["3031357", "telegram", "monthly", 34],
    ["3031358", "telegram", "single payment", 365],
    ["3031074", "basic", "parent product", 34],
    ["3031361", "basic", "monthly", 34],
    ["3031365", "basic", "single payment", 365],
    ["3031078", "pro", "parent product", 34],
    ["3031367", "pro", "monthly", 34],
    ["3031368", "pro", "single payment", 365],
  ])(
    "a first payment for the product %s creates a key of the plan %s (%s) that ends after %i days",
    async (productId, plan, _kind, days) => {
      const paidAt = new Date(Math.floor(Date.now() / 1000) * 1000);
      const answer = await deliver(paymentEvent({ productId, paid_at: paidAt.toISOString() }));
      expect(answer.json).toMatchObject({ action: "api_key_created", plan });
      expect(Date.parse(answer.json.expires)).toBe(paidAt.getTime() + days * DAY_MS);
    },
  );

  it("a product added to the map gives its plan and days to the next payment", async () => {
    await sql`
      insert into products (external_id, plan_tier, period_days, grace_days)
      values ('999', 'telegram', 90, 2)`;
    const paidAt = new Date(Math.floor(Date.now() / 1000) * 1000);
    const answer = await deliver(
      paymentEvent({ productId: "999", itemName: "Pro", paid_at: paidAt.toISOString() }),
    );
    expect(answer.json.plan).toBe("telegram");
    expect(Date.parse(answer.json.expires)).toBe(paidAt.getTime() + 92 * DAY_MS);
  });
});

describe("renewals", () => {
  it("a further invoice extends access by the period, without the grace of a new key", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, productId: "3031361" }));
    const [before] = await keysOf(email);
    await deliver(paymentEvent({ email, productId: "3031361", id: `R-${email}` }));
    await deliver(paymentEvent({ email, productId: "3031361", id: `R-${email}`, name: "other bytes" }));
    const [after] = await keysOf(email);
    expect(after!.expires_at.getTime() - before!.expires_at.getTime()).toBe(31 * DAY_MS);
  });

  it("a payment for a higher plan raises the key's plan, and one for a lower plan leaves it", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, productId: "3031361" }));
    expect((await deliver(paymentEvent({ email, productId: "3031367" }))).json.plan).toBe("pro");
    expect((await deliver(paymentEvent({ email, productId: "3031357" }))).json.plan).toBe("pro");
    expect((await keysOf(email))[0]!.plan_tier).toBe("pro");
  });

  it("the mail about a lower plan says what was bought and that the higher plan is used up first", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, productId: "3031367" }));
    await deliver(paymentEvent({ email, productId: "3031361" }));
    const [key] = await sql<{ stretches: unknown; expires_at: Date }[]>`
      select k.stretches, k.expires_at from api_keys k join subscriptions s on s.id = k.subscription_id
       where s.email = ${email}`;
    const until = (key: { expires_at: Date }, days: number) =>
      new Date(key.expires_at.getTime() - days * DAY_MS).toISOString();
    const stretches = [
      { plans: ["pro"], until: until(key!, 34) },
      { plans: ["basic"], until: until(key!, 0) },
    ];
    expect(key!.stretches).toEqual(stretches);
    expect((await mailsTo(email)).at(-1)!.props).toMatchObject({
      planTier: "pro",
      bought: { planTier: "basic", days: 31 },
      stretches,
    });
  });

  it("a renewal sends one mail with the amount and the new end", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, productId: "3031361" }));
    const event = paymentEvent({ email, productId: "3031361", id: `M-${email}` });
    await deliver({ ...event, data: { ...event.data, currency: "EUR" } });
    await deliver(paymentEvent({ email, productId: "3031361", id: `M-${email}`, name: "other bytes" }));
    const [, mail, ...others] = await mailsTo(email);
    expect(others).toEqual([]);
    const [key] = await keysOf(email);
    expect(mail).toMatchObject({
      kind: "renewed",
      dedupe_key: `renewed/M-${email}`,
      secret_encrypted: null,
      props: {
        userName: "Ada Lovelace",
        planTier: "basic",
        amount: "49.9",
        currency: "EUR",
        expiresAt: `${key!.expires_at.toISOString().slice(0, 19)}Z`,
        revived: false,
      },
    });
    const [invoice] = await sql`select amount, currency from invoices where invoice_id = ${`M-${email}`}`;
    expect(invoice).toEqual({ amount: "49.9000", currency: "EUR" });
  });

  it("a payment does not give an expiry to a key that never expires", async () => {
    const email = freshEmail();
    const { keyId } = await makeKey({ email });
    expect((await deliver(paymentEvent({ email }))).json).toMatchObject({
      action: "already_provisioned",
      key_id: keyId,
    });
    expect((await keysOf(email))[0]!.expires_at).toBeNull();
  });

  it("a payment extends the newest of several active keys and returns its id", async () => {
    const email = freshEmail();
    const ends = new Date(Date.now() + 10 * DAY_MS).toISOString();
    const first = await makeKey({ email, expires_at: ends });
    const second = await makeKey({ email, expires_at: ends });
    expect((await deliver(paymentEvent({ email }))).json.key_id).toBe(second.keyId);
    const [one, two] = await keysOf(email);
    expect([one!.id, two!.id]).toEqual([first.keyId, second.keyId]);
    expect(two!.expires_at.getTime() - one!.expires_at.getTime()).toBe(31 * DAY_MS);
  });
});

describe("a buyer whose key is suspended", () => {
  it("a payment extends a suspended key, which stays suspended, and a refund revokes it", async () => {
    const email = freshEmail();
    const { json } = await deliver(paymentEvent({ email }));
    const key = decrypt((await mailsTo(email))[0]!.secret_encrypted);
    const [before] = await keysOf(email);
    await sql`update api_keys set suspended_at = now() where id = ${json.key_id}`;
    expect((await deliver(paymentEvent({ email }))).json).toMatchObject({
      action: "already_provisioned",
      key_id: json.key_id,
    });
    const [after] = await keysOf(email);
    expect(after!.expires_at.getTime() - before!.expires_at.getTime()).toBe(31 * DAY_MS);
    expect((await call("GET", "/api/account/me", { key })).json.code).toBe("key_suspended");
    const refund = await deliver(paymentEvent({ event: "payment.invoice_refunded", email }));
    expect(refund.json.keys_revoked).toBe(1);
    expect((await call("GET", "/api/account/me", { key })).json.code).toBe("key_revoked");
  });
});

describe("a returning buyer", () => {
  it("an expired key is kept and gets the paid period from the payment on, without a new grace", async () => {
    const email = freshEmail();
    const first = await deliver(paymentEvent({ email, productId: "3031361" }));
    const [mail] = await mailsTo(email);
    const key = decrypt(mail!.secret_encrypted);
    await expire(first.json.key_id);
    expect((await call("GET", "/api/account/me", { key })).json.code).toBe("key_expired");
    const paidAt = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000);
    const again = await deliver(
      paymentEvent({ email, productId: "3031367", paid_at: paidAt.toISOString(), id: `V-${email}` }),
    );
    expect(again.text).toBe(
      `{"ok":true,"action":"already_provisioned","plan":"pro","key_id":${first.json.key_id}}`,
    );
    const me = await call("GET", "/api/account/me", { key });
    expect(me.status).toBe(200);
    expect(me.json.plan_tier).toBe("pro");
    expect(Date.parse(me.json.expires_at)).toBe(paidAt.getTime() + 31 * DAY_MS);
    expect(await keysOf(email)).toHaveLength(1);
    expect((await mailsTo(email)).at(-1)).toMatchObject({ kind: "renewed", props: { revived: true } });
    const [invoice] = await sql`select effect, key_id from invoices where invoice_id = ${`V-${email}`}`;
    expect(invoice).toEqual({ effect: "revived", key_id: first.json.key_id });
  });

  it("of several expired keys, a payment reactivates the newest that was not revoked", async () => {
    const email = freshEmail();
    const keys = [await makeKey({ email }), await makeKey({ email }), await makeKey({ email })];
    for (const { keyId } of keys) await expire(keyId);
    await sql`update api_keys set revoked_at = now() where id = ${keys[2]!.keyId}`;
    const answer = await deliver(paymentEvent({ email }));
    expect(answer.json).toMatchObject({ action: "already_provisioned", key_id: keys[1]!.keyId });
    const ends = (await keysOf(email)).map((key) => key.expires_at > new Date());
    expect(ends).toEqual([false, true, false]);
  });

  it("a payment whose days are all past leaves the key expired, and is flagged for review", async () => {
    const email = freshEmail();
    const first = await deliver(paymentEvent({ email }));
    await expire(first.json.key_id);
    const [before] = await keysOf(email);
    const paidAt = new Date(Date.now() - 60 * DAY_MS).toISOString();
    const answer = await deliver(paymentEvent({ email, paid_at: paidAt, id: `L-${email}` }));
    expect(answer.json).toMatchObject({ action: "already_provisioned", key_id: first.json.key_id });
    expect((await keysOf(email))[0]!.expires_at).toEqual(before!.expires_at);
    const [row] = await sql`select flags from payment_deliveries where invoice_id = ${`L-${email}`}`;
    expect(row!.flags).toEqual(["expired_on_arrival"]);
    expect(await mailsTo(email)).toMatchObject([
      { kind: "key-created" },
      { kind: "renewed", props: { isLate: true } },
    ]);
  });

  it("a first payment whose days are all past creates a key, and its mail is marked as late", async () => {
    const email = freshEmail();
    const paidAt = new Date(Date.now() - 60 * DAY_MS);
    const answer = await deliver(paymentEvent({ email, paid_at: paidAt.toISOString(), id: `F-${email}` }));
    expect(answer.json).toMatchObject({ action: "api_key_created" });
    const [mail] = await mailsTo(email);
    expect(mail).toMatchObject({ kind: "key-created", props: { isLate: true } });
    expect(Date.parse(mail!.props.paidUntil)).toBe(
      Math.floor((paidAt.getTime() + 31 * DAY_MS) / 1000) * 1000,
    );
    const [row] = await sql`select flags from payment_deliveries where invoice_id = ${`F-${email}`}`;
    expect(row!.flags).toEqual(["expired_on_arrival"]);
  });

  it("mails about an upgrade from a chat plan and about its end name the way of the plan's signals", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, productId: "3031357" }));
    await deliver(paymentEvent({ email, productId: "3031361", id: `U-${email}` }));
    await deliver(paymentEvent({ email, productId: "3031361" }));
    await deliver(paymentEvent({ event: "payment.invoice_refunded", email, id: `U-${email}` }));
    const [, upgrade, renewal, end] = await mailsTo(email);
    expect(upgrade).toMatchObject({ kind: "renewed", props: { newWay: "ea" } });
    expect(renewal!.props).not.toHaveProperty("newWay");
    expect(end).toMatchObject({
      kind: "access-revoked",
      props: { delivery: { hasEa: true, hasChats: true } },
    });
    const chat = freshEmail();
    await deliver(paymentEvent({ email: chat, productId: "3031357", id: `C-${chat}` }));
    await deliver(paymentEvent({ event: "payment.invoice_refunded", email: chat, id: `C-${chat}` }));
    expect((await mailsTo(chat)).at(-1)!.props.delivery).toEqual({ hasEa: false, hasChats: true });
  });

  it("a new invoice after a revocation creates a new key", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, id: `A-${email}` }));
    await deliver(paymentEvent({ event: "payment.invoice_refunded", email, id: `A-${email}` }));
    const again = await deliver(paymentEvent({ email }));
    expect(again.json.action).toBe("api_key_created");
    const [old, fresh] = await keysOf(email);
    expect(fresh!.subscription_id).toBe(old!.subscription_id);
  });

  it("a replayed invoice changes nothing: already_provisioned for an expired key, ignored for a revoked one", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email });
    const first = await deliver(event);
    await expire(first.json.key_id);
    const [before] = await keysOf(email);
    expect((await deliver(event)).json).toEqual({
      ok: true,
      action: "already_provisioned",
      plan: "pro",
      key_id: first.json.key_id,
    });
    expect((await keysOf(email))[0]!.expires_at).toEqual(before!.expires_at);
    await sql`update api_keys set revoked_at = now() where id = ${first.json.key_id}`;
    expect((await deliver(event)).json).toEqual({
      ok: true,
      action: "ignored",
      event: "payment.invoice_paid",
      reason: "invoice_already_applied",
    });
  });
});

describe("email_sent", () => {
  const set = ({ marketFeed = "off", resend = [], smtp = [] }: Configured) => {
    Object.assign(env(), { marketFeed });
    Object.assign(env().serviceSecrets, { RESEND_API_KEY: resend, SMTP_URL: smtp });
  };
  interface Configured {
    marketFeed?: "off" | "demo";
    resend?: string[];
    smtp?: string[];
  }
  afterEach(() => set({}));
  it.each([
    ["false without a transport", {}, false],
    ["true with SMTP", { smtp: ["smtp://mail.example.test"] }, true],
    ["true with Resend", { resend: ["re_test"] }, true],
    ["true in the simulated market, whose local outbox counts", { marketFeed: "demo" as const }, true],
  ])("the answer to a payment has email_sent %s", async (_, configuration: Configured, sent) => {
    set(configuration);
    const email = freshEmail();
    expect((await deliver(paymentEvent({ email }))).json.email_sent).toBe(sent);
    expect(await mailsTo(email)).toHaveLength(1);
  });
});

describe("refunds with another or no buyer", () => {
  it("a chargeback without a buyer's address revokes the key of the invoice's payer", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, id: `N-${email}` }));
    const answer = await deliver(
      paymentEvent({ event: "payment.invoice_chargeback", id: `N-${email}`, email: undefined }),
    );
    expect(answer.json.keys_revoked).toBe(1);
  });

  it("a refund with another buyer's address revokes that buyer's key, not the payer's", async () => {
    const payer = freshEmail();
    const other = freshEmail();
    await deliver(paymentEvent({ email: payer, id: `O-${payer}` }));
    await deliver(paymentEvent({ email: other }));
    await deliver(paymentEvent({ event: "payment.invoice_refunded", id: `O-${payer}`, email: other }));
    expect((await keysOf(payer))[0]!.revoked_at).toBeNull();
    expect((await keysOf(other))[0]!.revoked_at).not.toBeNull();
  });

  it.each([0, 1])(
    "a refund that names another buyer than the payment is flagged for review, with events in order %i",
    async (turn) => {
      const [payer, other] = [freshEmail(), freshEmail()];
      const id = `X-${payer}`;
      const events = [
        paymentEvent({ email: payer, id }),
        paymentEvent({ event: "payment.invoice_refunded", id, email: other }),
      ];
      for (const event of turn === 0 ? events : events.toReversed()) await deliver(event);
      const [last] = await sql`
      select flags from payment_deliveries where invoice_id = ${id} order by id desc limit 1`;
      expect(last!.flags).toEqual(["other_buyer"]);
    },
  );

  it("a refund for a buyer with another paid invoice is flagged for review", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, id: `1-${email}` }));
    await deliver(paymentEvent({ email, id: `2-${email}` }));
    await deliver(paymentEvent({ event: "payment.invoice_refunded", email, id: `1-${email}` }));
    const [row] = await sql`
      select flags from payment_deliveries where invoice_id = ${`1-${email}`} and action = 'access_revoked'`;
    expect(row!.flags).toEqual(["another_paid_invoice"]);
    const [mail] = await sql`
      select props->'hasOtherPayments' as said from mail_outbox where kind = 'access-revoked' and recipient = ${email}`;
    expect(mail!.said).toBe(true);
  });
});

describe("amounts that no purchase has", () => {
  it.each([
    ["an amount below zero", { quantity: 1, amount: -9 }],
    ["an absurd amount", { quantity: 1, amount: 1e300 }],
    ["a quantity below one", { quantity: -3, amount: 9 }],
    ["half a quantity", { quantity: 1.5, amount: 9 }],
  ])("a payment with %s gives access and is flagged for an administrator", async (_, item) => {
    const email = freshEmail();
    const items = [{ productId: "3031361", name: "Basic", ...item }];
    const { json } = await deliver(paymentEvent({ email, items, id: `U-${email}` }));
    expect(json.action).toBe("api_key_created");
    const [row] = await sql`select flags from payment_deliveries where invoice_id = ${`U-${email}`}`;
    expect(row!.flags).toEqual(["unusable_amount"]);
  });
  it.each([{ quantity: 1, amount: 0 }, { amount: "9.90" }, { quantity: 1, amount: null }, {}])(
    "a payment with the item %j is not flagged",
    async (item) => {
      const email = freshEmail();
      const items = [{ productId: "3031361", name: "Basic", ...item }];
      await deliver(paymentEvent({ email, items, id: `U-${email}` }));
      const [row] = await sql`select flags from payment_deliveries where invoice_id = ${`U-${email}`}`;
      expect(row!.flags).toEqual([]);
    },
  );
});

describe("partial refunds", () => {
  const refund = (email: string, data: object) => {
    const event = paymentEvent({ event: "payment.invoice_refunded", email, id: `P-${email}` });
    return { ...event, data: { ...event.data, ...data } };
  };

  it.each([
    ["an amount below what was paid", { amount_refunded: 10 }, "10.0000"],
    ["the status partially_refunded", { status: "partially_refunded" }, null],
    [
      "an amount below what was paid and the status partially_refunded",
      { status: "partially_refunded", amount_refunded: "12.5" },
      "12.5000",
    ],
  ])("a refund with %s leaves access and is flagged as partial", async (_, data, recorded) => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, id: `P-${email}` }));
    const answer = await deliver(refund(email, data));
    expect(answer.text).toBe(
      '{"ok":true,"action":"access_revoked","event":"payment.invoice_refunded","keys_revoked":0}',
    );
    expect((await keysOf(email))[0]!.revoked_at).toBeNull();
    const [invoice] =
      await sql`select state, refunded_amount from invoices where invoice_id = ${`P-${email}`}`;
    expect(invoice).toEqual({ state: "paid", refunded_amount: recorded });
    const [row] = await sql`
      select flags from payment_deliveries where invoice_id = ${`P-${email}`} and action = 'access_revoked'`;
    expect(row!.flags).toEqual(["partial_refund"]);
    expect((await mailsTo(email)).map((mail) => mail.kind)).toEqual(["key-created"]);
    // The remaining amount is refunded too, which ends access.
    const rest = await deliver(refund(email, { amount_refunded: 49.9, status: "refunded" }));
    expect(rest.json.keys_revoked).toBe(1);
  });

  it.each([
    ["no amount", {}],
    ["the whole amount", { amount_refunded: 49.9 }],
    ["more than was paid", { amount_refunded: 100 }],
    ["an amount of nothing", { amount_refunded: 0 }],
    ["an amount that cannot be read", { amount_refunded: "some" }],
    [
      "the whole amount, although the status is partially_refunded",
      { status: "partially_refunded", amount_refunded: 49.9 },
    ],
  ])("a refund with %s ends access", async (_, data) => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, id: `P-${email}` }));
    expect((await deliver(refund(email, data))).json.keys_revoked).toBe(1);
  });

  it.each(["payment.invoice_canceled", "payment.invoice_chargeback"])(
    "%s with an amount below what was paid still ends access",
    async (event) => {
      const email = freshEmail();
      await deliver(paymentEvent({ email, id: `P-${email}` }));
      const answer = await deliver({ ...refund(email, { amount_refunded: 10 }), event });
      expect(answer.json.keys_revoked).toBe(1);
    },
  );
});

describe("a failed payment", () => {
  const failure = (email: string, id = `F-${email}`) =>
    paymentEvent({
      event: "payment.invoice_payment_failed",
      status: "failed",
      email,
      id,
      name: `${Math.random()}`,
    });
  const endIn = (keyId: number, hours: number) =>
    sql`update api_keys set expires_at = now() + make_interval(hours => ${hours}) where id = ${keyId}`;
  const hoursLeft = async (email: string) =>
    ((await keysOf(email))[0]!.expires_at.getTime() - Date.now()) / 3_600_000;

  it("the first of five failed payments is answered as an unknown event; all five give one grace of three days and three mails", async () => {
    const email = freshEmail();
    const { json } = await deliver(paymentEvent({ email }));
    await endIn(json.key_id, 1);
    const answer = await deliver(failure(email));
    expect(answer.text).toBe(
      '{"ok":true,"action":"ignored","event":"payment.invoice_payment_failed","reason":"unknown_event"}',
    );
    expect(await hoursLeft(email)).toBeCloseTo(72, 1);
    const [before] = await keysOf(email);
    for (const id of [undefined, "G-1", "G-2", undefined])
      await deliver(failure(email, id && `${id}-${email}`));
    expect((await keysOf(email))[0]!.expires_at).toEqual(before!.expires_at);
    const mails = (await mailsTo(email)).filter((mail) => mail.kind === "payment-failed");
    expect(mails).toHaveLength(3);
    for (const { props } of mails)
      expect(props.expiresAt).toBe(`${before!.expires_at.toISOString().slice(0, 19)}Z`);
    const graces =
      await sql`select n_failures from payment_graces where subscription_id = ${before!.subscription_id}`;
    expect(graces).toEqual([{ n_failures: 5 }]);
  });

  it("a failed payment does not shorten longer access, and a failure after the next payment gets its own grace", async () => {
    const email = freshEmail();
    const { json } = await deliver(paymentEvent({ email }));
    const [before] = await keysOf(email);
    await deliver(failure(email));
    expect((await keysOf(email))[0]!.expires_at).toEqual(before!.expires_at);
    await deliver(paymentEvent({ email }));
    await endIn(json.key_id, 1);
    await deliver(failure(email, `H-${email}`));
    expect(await hoursLeft(email)).toBeCloseTo(72, 1);
  });

  it("a failed payment counts once when the same bytes arrive ten times at once", async () => {
    const email = freshEmail();
    const { json } = await deliver(paymentEvent({ email }));
    await endIn(json.key_id, 1);
    const event = failure(email);
    await Promise.all(Array.from({ length: 10 }, () => deliver(event)));
    expect((await mailsTo(email)).filter((mail) => mail.kind === "payment-failed")).toHaveLength(1);
    expect(await hoursLeft(email)).toBeCloseTo(72, 1);
  });

  it.each([
    ["of someone unknown", async () => freshEmail()],
    [
      "after access has ended",
      async () => {
        const email = freshEmail();
        await expire((await deliver(paymentEvent({ email }))).json.key_id);
        return email;
      },
    ],
    [
      "after a refund",
      async () => {
        const email = freshEmail();
        await deliver(paymentEvent({ email, id: `F-${email}` }));
        await deliver(paymentEvent({ event: "payment.invoice_refunded", email, id: `F-${email}` }));
        return email;
      },
    ],
    [
      "of an invoice that was paid",
      async () => {
        const email = freshEmail();
        await endIn((await deliver(paymentEvent({ email, id: `F-${email}` }))).json.key_id, 1);
        return email;
      },
    ],
  ])("a failed payment %s changes no key and sends no mail", async (_, prepare) => {
    const email = await prepare();
    const before = await keysOf(email);
    expect((await deliver(failure(email))).json.action).toBe("ignored");
    expect(await keysOf(email)).toEqual(before);
    expect((await mailsTo(email)).map((mail) => mail.kind)).not.toContain("payment-failed");
  });

  it("the event names and grace days of a failed payment are configurable, also for a product without a mapping", async () => {
    const email = freshEmail();
    await endIn((await deliver(paymentEvent({ email }))).json.key_id, 1);
    const change = (value: string) => sql`
      update settings set value = value || ${value}::text::jsonb where name = 'payment_events'`;
    const [{ value }] = (await sql`select value from settings where name = 'payment_events'`) as [
      { value: object },
    ];
    await change('{"failed": ["charge.declined"], "failureGraceDays": 5}');
    const declined = paymentEvent({
      event: "charge.declined",
      status: "failed",
      email,
      id: `F-${email}`,
      productId: "no-known-product",
    });
    await deliver(declined);
    expect(await hoursLeft(email)).toBeCloseTo(120, 1);
    await change(JSON.stringify(value));
  });
});

describe("stored rows", () => {
  it("payments write an audit row for each key created, extended and revoked, without the address", async () => {
    const email = freshEmail();
    const { json } = await deliver(paymentEvent({ email }));
    await deliver(paymentEvent({ email }));
    await deliver(paymentEvent({ event: "payment.invoice_canceled", email }));
    const rows =
      await sql`select actor, action, details from admin_audit where target = ${`key/${json.key_id}`} order by id`;
    expect(rows.map((row) => row.action)).toEqual(["payment.provision", "payment.renew", "payment.revoke"]);
    expect(new Set(rows.map((row) => row.actor))).toEqual(new Set(["webhook"]));
    expect(JSON.stringify(rows)).not.toContain(email);
  });

  it("a delivery is stored once with its encrypted payload and only a hash of the address", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email });
    await deliver(event);
    await deliver(event);
    const rows = await sql`select * from payment_deliveries where invoice_id = ${event.data.id as string}`;
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      event: "payment.invoice_paid",
      action: "api_key_created",
      n_received: 2,
    });
    expect(rows[0]!.email_hash).toMatch(/^[0-9a-f]{4}$/);
    expect(JSON.stringify(rows)).not.toContain(email);
    expect(Buffer.from(decrypt(rows[0]!.payload_encrypted), "base64").toString()).toBe(JSON.stringify(event));
  });

  it("after a purchase, no table contains the plain key", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email }));
    const [mail] = await mailsTo(email);
    const key = decrypt(mail!.secret_encrypted);
    const everything = await Promise.all(
      (await sql`select tablename from pg_tables where schemaname = 'public'`).map(async ({ tablename }) =>
        JSON.stringify(await sql`select * from ${sql(tablename)}`),
      ),
    );
    expect(everything.join("")).not.toContain(key);
  });
});
