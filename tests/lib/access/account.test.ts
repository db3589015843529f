import { sql as statement } from "drizzle-orm";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { POST as confirmAccount } from "@/app/login/account/confirm/route";
import { GET as myDataAfterEnd } from "@/app/login/subscriptions/[id]/my-data/route";
import { GET as paymentsAfterEnd } from "@/app/login/subscriptions/[id]/payments/route";
import { POST as endedAccess } from "@/app/login/subscriptions/act/route";
import { POST as settings } from "@/app/portal/settings/act/route";
import { GET as myData } from "@/app/portal/settings/my-data/route";
import { db } from "@/db/client";
import { findOpenAddressChange } from "@/db/queries/accounts";
import { ENCRYPTED_COLUMNS } from "@/db/queries/encrypted-values";
import { lockBuyerAddress, lockInvoicesAndAddresses } from "@/db/queries/payments";
import { PERSONAL_DATA } from "@/db/queries/personal-data";
import { deleteAccount, finishDeletions } from "@/lib/access/account/delete-account";
import { deleteAccountWithoutLink } from "@/lib/access/account/delete-account-without-link";
import { readAccountLink } from "@/lib/access/account/requests";
import { editSubscriberContact } from "@/lib/admin/edit-subscriber-contact";
import { localOutbox } from "@/lib/outbound/mail/transports/local-outbox";
import { env } from "@/lib/runtime/env";
import { decrypt, encrypt } from "@/lib/runtime/secrets";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { listLocks } from "@/tests/support/locks";
import { deliver, freshEmail, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";
import { deliverAll } from "@/tests/support/platform-events";
import { FIXTURES, PLATFORM_ENVIRONMENT, PLATFORMS } from "@/tests/support/platform-fixtures";
import {
  portalForm,
  portalRequest,
  readLog,
  requestSignInToken,
  signInWithKey,
  signInWithLink,
} from "@/tests/support/portal";
import { sentMails } from "@/tests/support/sent-mail";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const {
  address: changeAddress,
  "cancel-address": cancelChange,
  "delete-account": askForDeletion,
} = settings.forms;

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET, ...PLATFORM_ENVIRONMENT });

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
  // A separate outbox, because deletion searches the mail files.
  Object.assign(env(), { dataDir: temporaryDirectory("signal-account-") });
});
afterAll(() => sql.end());

const ADMIN = { kind: "admin-session", sessionId: "s", address: "192.0.2.250", requestId: "r" } as const;
const NETWORK = "203.0.113.77";

const press = (token: string) => confirmAccount(portalForm("/login/account/confirm", { token }));

/** Tokens in the mails of a kind to an address, newest first. */
async function tokensTo(email: string, kind: string): Promise<string[]> {
  const rows = await sql`
    select secret_encrypted from mail_outbox where lower(recipient) = ${email.toLowerCase()} and kind = ${kind}
       and secret_encrypted is not null order by id desc`;
  return rows.map((row) => decrypt(row.secret_encrypted));
}

async function keyMailedTo(email: string): Promise<string> {
  const [key] = await tokensTo(email, "key-created");
  if (!key) throw new Error("no key was mailed");
  return key;
}

async function subscriptionOf(email: string): Promise<number> {
  const [row] = await sql`select id from subscriptions where email_normalized = ${email.toLowerCase()}`;
  return row!.id;
}

async function readAfterEnd(read: typeof myDataAfterEnd, id: number, cookie: string) {
  const answer = await read(portalRequest(`/login/subscriptions/${id}/my-data`, cookie), {
    params: Promise.resolve({ id: String(id) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const askAfterEnd = (id: number, cookie: string) =>
  endedAccess.forms["delete-account"](
    portalForm(
      "/login/subscriptions/act?intent=delete-account",
      { subscription: String(id), typed_word: "DELETE" },
      { cookie },
    ),
  );

/** Every row of every table as text, with everything that the configured keys can decrypt. */
async function dump(): Promise<string> {
  const names = await sql`
    select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const texts: string[] = [];
  for (const { table_name } of names) {
    const rows = await sql`select t::text as row from ${sql(table_name)} t`;
    texts.push(...rows.map(({ row }) => row as string));
  }
  for (const { table, column } of Object.values(ENCRYPTED_COLUMNS)) {
    const rows =
      await sql`select ${sql(column)} as sealed from ${sql(table)} where ${sql(column)} is not null`;
    for (const { sealed } of rows) {
      const plain = sealed === "none" ? "" : decrypt(sealed);
      texts.push(plain, Buffer.from(plain, "base64").toString("utf8"));
    }
  }
  return texts.join("\n");
}

/** The spellings in which a text may be stored. */
function spellings(text: string): string[] {
  return [text, encodeURIComponent(text), Buffer.from(text).toString("hex")].map((each) =>
    each.toLowerCase(),
  );
}

/** Creates a subscriber whose name and addresses are stored in every table that can contain them. */
async function traceful() {
  const tag = Math.random().toString(36).slice(2, 8);
  const name = `Zebulon Quartermain${tag}`;
  const email = `Zebulon.${tag}+Trade@Mail.Example`;
  await deliver(paymentEvent({ email, name, id: `paid-${tag}`, productId: "3031367" }));
  await sql`
    insert into mail_outbox (dedupe_key, kind, recipient, props, status)
    values (${`try-out/${tag}`}, 'try-out', ${email}, '{}', 'sent')`;
  const key = await keyMailedTo(email);
  for (const platform of PLATFORMS)
    await deliverAll(
      platform,
      FIXTURES[platform].paid({
        payment: `${tag}1`,
        subscription: `${tag}2`,
        first: true,
        product: "monthly",
        email,
        amount: 10,
        paidAt: new Date(),
      }),
    );
  // An event of which only the subscriber's address is known.
  await deliver({ event: "customer.hello", data: { note: `ask ${email.toLowerCase()} about it` } });
  const id = await subscriptionOf(email);
  await editSubscriberContact(
    db(),
    id,
    { userName: name, email, notes: `${name} called from home` },
    { actor: ADMIN, role: "owner", mayShareAddress: false },
  );
  await call("GET", "/api/scan", { key, headers: { "x-client-address": NETWORK, "user-agent": name } });
  await call("POST", "/api/executions", {
    key,
    body: {
      ticket: 4711,
      symbol: "EURUSD",
      timeframe: "H1",
      signal: "BUY",
      opened_at: new Date().toISOString(),
      comment: `of ${name}`,
    },
  });
  await call("POST", "/api/executions", { key, body: { ticket: name } });
  const byKey = await signInWithKey(key, NETWORK);
  const byLink = await signInWithLink(email, NETWORK);
  await requestSignInToken(email, NETWORK);
  await sql`update subscriptions set preferences = ${sql.json({ displayName: name })} where id = ${id}`;
  await sql`update executions set comment = ${name} where subscription_id = ${id}`;
  await sql`
    insert into execution_changes (execution_id, key_id, request_id, before, after)
    select id, 1, 'r', ${sql.json({ comment: name })}, ${sql.json({ comment: null })} from executions where subscription_id = ${id}`;
  await sql`
    insert into rejected_reports (subscription_id, key_id, request_id, code, errors, body_excerpt)
    values (${id}, 1, 'r', 'validation_failed', '[]', ${name})`;
  await sql`
    insert into webhook_endpoints (subscription_id, url, events, secret_encrypted, signals_up_to)
    values (${id}, ${`https://hooks.example/${tag}/${encodeURIComponent(name)}`}, '{}', ${encrypt(name)}, 0)`;
  await sql`
    insert into channel_recipients (channel, subscription_id, address_encrypted, hint, events, signals_up_to)
    values ('discord', ${id}, ${encrypt(name)}, ${`webhook of ${name}`}, '{signal.created}', 0)`;
  await sql`insert into telegram_chats (subscription_id, chat_id, name, signals_up_to) values (${id}, ${id + 900_000}, ${name}, 0)`;
  await sql`
    insert into telegram_messages (dedupe_key, subscription_id, chat_id, kind, text)
    values (${`t/${tag}/1`}, ${id}, ${id + 900_000}, 'notice', ${`Hello ${name}`}),
           (${`t/${tag}/2`}, null, ${id + 900_000}, 'reply', ${`Hello ${name}`})`;
  await sql`insert into record_links (subscription_id, token_hash) values (${id}, ${tag})`;
  await sql`insert into portal_read_markers (subscription_id, seen_until) values (${id}, now())`;
  await sql`
    insert into key_heartbeats (key_id, subscription_id, last_seen_at, address, client)
    select id, ${id}, now(), ${NETWORK}, ${name} from api_keys where subscription_id = ${id}
    on conflict (key_id) do update set address = ${NETWORK}, client = ${name}`;
  return { tag, name, email, key, id, byKey, byLink };
}

describe("account deletion", () => {
  it("account deletion by the mailed link removes name, e-mail addresses and IP address from every table", async () => {
    const other = await makeKey({ email: freshEmail() });
    const who = await traceful();
    // A former address of the subscriber.
    await sql`insert into former_addresses (email_normalized, subscription_id) values (${`old.${who.tag}@mail.example`}, ${who.id})`;
    await deliver({ event: "customer.hello", data: { note: `was old.${who.tag}@mail.example` } });
    const words = [who.name, `quartermain${who.tag}`, who.email, `zebulon.${who.tag}`, `old.${who.tag}`];
    const before = (await dump()).toLowerCase();
    for (const word of words) expect(before).toContain(word.toLowerCase());
    expect(before).toContain(NETWORK);

    const asked = await askForDeletion(
      portalForm(
        "/portal/settings/act?intent=delete-account",
        { typed_word: "DELETE" },
        { cookie: who.byKey },
      ),
    );
    expect(asked.headers.get("location")).toBe("/portal/settings");
    // Nothing happens before the mailed link is used.
    expect((await call("GET", "/api/account/me", { key: who.key })).status).toBe(200);
    const [token = ""] = await tokensTo(who.email, "account-deletion");
    const done = await press(token);
    expect(done.headers.get("location")).toBe("/login/account/done?what=deleted");

    const refused = await call("GET", "/api/account/me", { key: who.key });
    expect([refused.status, refused.json.code]).toEqual([401, "key_revoked"]);
    for (const cookie of [who.byKey, who.byLink])
      expect(
        (await myData(portalRequest("/portal/settings/my-data", cookie))).headers.get("location"),
      ).toContain("/login");

    const after = (await dump()).toLowerCase();
    for (const word of words)
      for (const spelt of spellings(word)) expect(after.includes(spelt), spelt).toBe(false);
    expect(after).not.toContain(NETWORK);
    expect(readLog().toLowerCase()).not.toContain(`zebulon.${who.tag}`);

    // Data without personal reference stays.
    const [kept] = await sql`
      select (select count(*)::int from executions where subscription_id = ${who.id}) as executions,
             (select count(*)::int from invoices where subscription_id = ${who.id} and amount is not null) as invoices`;
    expect(kept!.executions).toBeGreaterThan(0);
    expect(kept!.invoices).toBeGreaterThan(0);
    expect((await call("GET", "/api/account/me", { key: other.key })).status).toBe(200);
    // The link is used up, and a second deletion changes nothing.
    expect((await press(token)).headers.get("location")).toContain("/login/account?token=");
    await deleteAccount(db(), who.id, { kind: "worker" });
  });

  it("account deletion also erases the e-mail address and revokes the key of a payment that arrives while it runs", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email }));
    const id = await subscriptionOf(email);
    const database = db();
    let transactions = 0;
    const interrupted = new Proxy(database, {
      get(target, name) {
        if (name !== "transaction") return Reflect.get(target, name);
        return async (...args: Parameters<typeof target.transaction>) => {
          transactions++;
          if (transactions === 2) {
            const paid = await deliver(paymentEvent({ email }));
            expect(paid.json.action).toBe("api_key_created");
          }
          return target.transaction(...args);
        };
      },
    });
    await deleteAccount(interrupted, id, { kind: "worker" });
    expect(transactions).toBe(2);
    expect(await dump()).not.toContain(email);
    expect(
      (await sql`select 1 from api_keys where subscription_id = ${id} and revoked_at is null`).length,
    ).toBe(0);
  });

  it("account deletion removes the account's mail files from the local outbox, and no others", async () => {
    const [gone, stays] = [freshEmail(), freshEmail()];
    for (const email of [gone, stays]) await deliver(paymentEvent({ email }));
    const folder = env().dataDir;
    const text = "Your key";
    for (const { id, kind, recipient } of await sql`
      select id, kind, recipient from mail_outbox where recipient in (${gone}, ${stays})`)
      await localOutbox(folder).send({
        mailId: Number(id),
        kind,
        from: "Signals <signals@example.com>",
        to: recipient,
        unsubscribeUrl: null,
        subject: text,
        html: text,
        text,
      });
    const filesOf = (email: string) =>
      sentMails(folder).filter(({ source }) => source.includes(email)).length;
    expect([filesOf(gone), filesOf(stays)]).toEqual([1, 1]);
    await deleteAccount(db(), await subscriptionOf(gone), { kind: "worker" });
    expect([filesOf(gone), filesOf(stays)]).toEqual([0, 1]);
  });

  it("after access has ended, a person signed in by mail can export their data and payments and delete their account", async () => {
    const email = freshEmail();
    const invoice = `ended-${email}`;
    await deliver(paymentEvent({ email, id: invoice }));
    await deliver(paymentEvent({ email, id: invoice, event: "payment.invoice_refunded" }));
    const id = await subscriptionOf(email);
    const cookie = await signInWithLink(email, "192.0.2.77");
    expect((await myData(portalRequest("/portal/settings/my-data", cookie))).headers.get("location")).toBe(
      "/login/subscriptions",
    );

    const data = await readAfterEnd(myDataAfterEnd, id, cookie);
    expect([data.status, JSON.parse(data.text).subscription.email]).toEqual([200, email]);
    const payments = await readAfterEnd(paymentsAfterEnd, id, cookie);
    expect([payments.status, payments.text.includes(invoice)]).toEqual([200, true]);

    const asked = await askAfterEnd(id, cookie);
    expect(asked.headers.get("location")).toBe("/login/subscriptions?said=mailed");
    const [token = ""] = await tokensTo(email, "account-deletion");
    expect((await press(token)).headers.get("location")).toContain("what=deleted");
    expect(
      await sql`select 1 from subscriptions where email_normalized = ${email.toLowerCase()}`,
    ).toHaveLength(0);
  });

  it("data, payments and deletion of another person's subscription are not found, and neither is anything for a session of a revoked key", async () => {
    const [ada, ben] = [freshEmail(), freshEmail()];
    for (const email of [ada, ben]) await deliver(paymentEvent({ email }));
    const [adas, bens] = [await subscriptionOf(ada), await subscriptionOf(ben)];
    const byKey = await signInWithKey(await keyMailedTo(ben));
    await sql`update api_keys set revoked_at = now() where subscription_id in (${adas}, ${bens})`;
    for (const [id, cookie] of [
      [adas, await signInWithLink(ben, "192.0.2.77")],
      [bens, byKey],
    ] as const) {
      for (const read of [myDataAfterEnd, paymentsAfterEnd])
        expect((await readAfterEnd(read, id, cookie)).status).toBe(404);
      expect((await askAfterEnd(id, cookie)).status).toBe(404);
    }
    for (const email of [ada, ben]) expect(await tokensTo(email, "account-deletion")).toEqual([]);
  });

  it("export and deletion of an account include a payment delivery that names the invoice but no address", async () => {
    const email = freshEmail();
    const payment = email.replace(/\W/g, "");
    const sale = {
      payment,
      subscription: payment,
      first: true,
      product: "monthly",
      email,
      amount: 10,
      paidAt: new Date(),
    };
    await deliverAll("stripe", FIXTURES.stripe.paid(sale));
    await deliverAll("stripe", FIXTURES.stripe.refunded(sale, 5));
    const answer = await myData(portalRequest("/portal/settings/my-data", await signInWithLink(email)));
    expect(await answer.text()).toContain(`ch_${payment}`);
    await deleteAccount(db(), await subscriptionOf(email), { kind: "worker" });
    const left = await sql`select 1 from payment_deliveries where invoice_id = ${`stripe:in_${payment}`}`;
    expect(left).toHaveLength(0);
  });

  it("account deletion is not undone by a replayed payment; a new payment creates a new subscriber", async () => {
    const email = freshEmail();
    const id = `replayed-${email}`;
    const paid = paymentEvent({ email, id });
    await deliver(paid);
    const before = await subscriptionOf(email);
    await deleteAccount(db(), before, { kind: "worker" });
    const again = await deliver(paid);
    expect(again.json).toMatchObject({ action: "ignored", reason: "invoice_already_applied" });
    const bought = await deliver(paymentEvent({ email }));
    expect(bought.json.action).toBe("api_key_created");
    expect(await subscriptionOf(email)).not.toBe(before);
  });

  it("account deletion is finished by the worker after a crash", async () => {
    const email = freshEmail();
    const { key } = await makeKey({ email });
    const id = await subscriptionOf(email);
    await sql`
      insert into account_requests (subscription_id, kind, token_hash, confirmed_at, expires_at)
      values (${id}, 'delete', ${`crashed-${id}`}, now() - interval '2 minutes', now())`;
    await finishDeletions(db());
    expect((await call("GET", "/api/account/me", { key })).status).toBe(401);
    expect(await dump()).not.toContain(email);
  });

  it("account deletion without a mailed link is finished by the worker after a failure", async () => {
    const email = freshEmail();
    const { key } = await makeKey({ email });
    const id = await subscriptionOf(email);
    await sql`create function refuse_erasure() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`;
    await sql`create trigger refuse_erasure before update or delete on subscriptions execute function refuse_erasure()`;
    await expect(deleteAccountWithoutLink(db(), id, { kind: "worker" })).rejects.toThrow();
    await sql`drop function refuse_erasure cascade`;
    expect(await dump()).toContain(email);
    await sql`update account_requests set confirmed_at = now() - interval '2 minutes' where subscription_id = ${id}`;
    await finishDeletions(db());
    expect((await call("GET", "/api/account/me", { key })).status).toBe(401);
    expect(await dump()).not.toContain(email);
  });

  it("the worker erases a client's IP address that another process wrote after the account deletion", async () => {
    const email = freshEmail();
    const { keyId } = await makeKey({ email });
    const id = await subscriptionOf(email);
    await deleteAccount(db(), id, { kind: "worker" });
    await sql`
      insert into key_heartbeats (key_id, subscription_id, last_seen_at, address, client)
      values (${keyId}, ${id}, now(), '203.0.113.78', 'late')
      on conflict (key_id) do update set address = '203.0.113.78', client = 'late'`;
    await finishDeletions(db());
    expect(await dump()).not.toContain("203.0.113.78");
  });

  it("account deletion ends the keys of all subscriptions with the e-mail address, and of no other address", async () => {
    const email = freshEmail();
    const [one, two] = [await makeKey({ email }), await makeKey({ email })];
    const near = await makeKey({ email: `x${email}` });
    const [first] = await sql`select subscription_id from api_keys where id = ${one.keyId}`;
    await deleteAccount(db(), first!.subscription_id, { kind: "worker" });
    const states = await Promise.all(
      [one, two, near].map(async ({ key }) => (await call("GET", "/api/account/me", { key })).status),
    );
    expect(states).toEqual([401, 401, 200]);
    expect(await subscriptionOf(`x${email}`)).toBeGreaterThan(0);
  });

  it("account deletion needs the typed word DELETE, and is immediate for an account without an e-mail address", async () => {
    const { key } = await makeKey();
    const cookie = await signInWithKey(key);
    const send = (typed_word: string) =>
      askForDeletion(portalForm("/portal/settings/act?intent=delete-account", { typed_word }, { cookie }));
    await send("delete");
    expect((await call("GET", "/api/account/me", { key })).status).toBe(200);
    expect((await send("DELETE")).headers.get("location")).toBe("/login/account/done?what=deleted");
    expect((await call("GET", "/api/account/me", { key })).status).toBe(401);
  });

  it("of seven requests for account deletion five are mailed, and only the latest link works", async () => {
    const email = freshEmail();
    const { key } = await makeKey({ email });
    const cookie = await signInWithKey(key);
    for (let n = 0; n < 7; n++)
      await askForDeletion(
        portalForm("/portal/settings/act?intent=delete-account", { typed_word: "DELETE" }, { cookie }),
      );
    const tokens = await tokensTo(email, "account-deletion");
    expect(tokens).toHaveLength(5);
    // The latest link works, earlier ones do not.
    const [newest = "", ...former] = tokens;
    for (const token of former) expect(await readAccountLink(db(), token)).toBeNull();
    expect(await readAccountLink(db(), newest)).toMatchObject({ kind: "delete" });
  });
});

describe("a change of e-mail address", () => {
  const ask = (cookie: string, new_email: string) =>
    changeAddress(portalForm("/portal/settings/act?intent=address", { new_email }, { cookie }));

  it("a change of e-mail address needs the links from both mailboxes; then only the new address signs in", async () => {
    const [former, next] = [freshEmail(), `Next-${freshEmail()}`];
    await deliver(paymentEvent({ email: former, id: `a-${former}` }));
    const key = await keyMailedTo(former);
    const cookie = await signInWithLink(former);
    const id = await subscriptionOf(former);
    await ask(cookie, next);
    const [present = ""] = await tokensTo(former, "address-change");
    const [fresh = ""] = await tokensTo(next, "address-change");
    expect(present).not.toBe(fresh);
    expect(await findOpenAddressChange(db(), id)).toMatchObject({
      newEmail: next,
      confirmedAt: null,
      newConfirmedAt: null,
    });

    expect((await press(fresh)).headers.get("location")).toContain("what=waits_for_other");
    expect((await press(fresh)).headers.get("location")).toContain("/login/account?token=");
    expect(await subscriptionOf(former)).toBe(id);
    expect(await findOpenAddressChange(db(), id)).toMatchObject({
      confirmedAt: null,
      newConfirmedAt: expect.any(Date),
    });
    expect((await press(present)).headers.get("location")).toContain("what=address_changed");
    expect(await findOpenAddressChange(db(), id)).toBeNull();

    const [row] = await sql`select email, email_normalized from subscriptions where id = ${id}`;
    expect(row).toEqual({ email: next, email_normalized: next.toLowerCase() });
    // Sessions opened with the former address end; keys continue.
    expect(
      (await myData(portalRequest("/portal/settings/my-data", cookie))).headers.get("location"),
    ).toContain("/login");
    expect((await call("GET", "/api/account/me", { key })).status).toBe(200);
    expect(await requestSignInToken(former)).toBeNull();
    expect(await signInWithLink(next)).toContain("session-token");
    const notes = await sql`
      select recipient from mail_outbox where kind = 'address-changed' and subscription_id = ${id} order by id`;
    expect(notes.map(({ recipient }) => recipient)).toEqual([former, next]);
    const audit = await sql`
      select details from admin_audit where subscription_id = ${id} and action = 'account.change_address'`;
    expect(audit).toEqual([{ details: {} }]);
    expect(readLog()).not.toContain(next);
  });

  it("a cancelled change of e-mail address ends both mailed links, also after one was used", async () => {
    const [former, next] = [freshEmail(), freshEmail()];
    await deliver(paymentEvent({ email: former, id: `c-${former}` }));
    const cookie = await signInWithLink(former);
    const id = await subscriptionOf(former);
    await ask(cookie, next);
    const [present = ""] = await tokensTo(former, "address-change");
    const [fresh = ""] = await tokensTo(next, "address-change");
    await press(present);
    const cancel = () =>
      cancelChange(portalForm("/portal/settings/act?intent=cancel-address", {}, { cookie }));
    await cancel();
    await cancel();
    expect(await findOpenAddressChange(db(), id)).toBeNull();
    expect(await readAccountLink(db(), fresh)).toBeNull();
    await press(fresh);
    expect(await subscriptionOf(former)).toBe(id);
    const audit = await sql`
      select 1 from admin_audit where subscription_id = ${id} and action = 'account.cancel_address'`;
    expect(audit).toHaveLength(1);
  });

  it("a change of address from A to B to C warns A and B at their mailboxes, and ends the links of other requests", async () => {
    const [a, b, c, elsewhere] = [freshEmail(), freshEmail(), freshEmail(), freshEmail()];
    await deliver(paymentEvent({ email: a }));
    const id = await subscriptionOf(a);
    const change = async (from: string, to: string) => {
      await ask(await signInWithLink(from), to);
      for (const [email, kind] of [
        [from, "address-change"],
        [to, "address-change"],
      ] as const)
        await press((await tokensTo(email, kind))[0] ?? "");
    };
    await ask(await signInWithLink(a), elsewhere);
    const [present = ""] = await tokensTo(a, "address-change");
    const [open = ""] = await tokensTo(elsewhere, "address-change");
    await press(present);
    await change(a, b);
    await change(b, c);
    expect((await press(open)).headers.get("location")).toContain("/login/account?token=");
    expect(await subscriptionOf(c)).toBe(id);
    const mails = (kind: string) => sql`
      select recipient, props -> 'isNew' as is_new from mail_outbox
       where kind = ${kind} and subscription_id = ${id} and status = 'pending' order by id`;
    expect([...(await mails("address-changed"))]).toEqual([
      { recipient: a, is_new: false },
      { recipient: b, is_new: true },
      { recipient: b, is_new: false },
      { recipient: c, is_new: true },
    ]);
    expect((await mails("address-change")).map(({ recipient }) => recipient)).toEqual([
      ...[a, elsewhere],
      ...[a, b],
      ...[b, c],
    ]);
  });

  it("after two changes of address by an administrator, each former mailbox keeps its warning, and the key mail goes to the last", async () => {
    const [a, b, c] = [freshEmail(), freshEmail(), freshEmail()];
    await deliver(paymentEvent({ email: a }));
    const id = await subscriptionOf(a);
    for (const email of [b, c])
      await editSubscriberContact(
        db(),
        id,
        { userName: "Ada", email, notes: null },
        { actor: ADMIN, role: "owner", mayShareAddress: false },
      );
    const rows = await sql`
      select recipient from mail_outbox where kind = 'address-changed' and subscription_id = ${id} order by id`;
    expect(rows.map(({ recipient }) => recipient)).toEqual([a, b, b, c]);
    const [key] = await sql`
      select recipient from mail_outbox where kind = 'key-created' and subscription_id = ${id}`;
    expect(key?.recipient).toBe(c);
  });

  it("a change of e-mail address locks both addresses in the order that a payment uses, so that neither aborts the other", async () => {
    const [former, next] = [`z-${freshEmail()}`, `a-${freshEmail()}`];
    await deliver(paymentEvent({ email: former }));
    await ask(await signInWithLink(former), next);
    const [present = ""] = await tokensTo(former, "address-change");
    const [fresh = ""] = await tokensTo(next, "address-change");
    await press(fresh);
    const isWaiting = async () =>
      (await listLocks(sql)).some(({ kind, granted }) => kind === "advisory" && !granted);
    const presses: Promise<Response>[] = [];
    await db().transaction(async (tx) => {
      await lockInvoicesAndAddresses(tx, ["generic:locks"], [next]);
      presses.push(press(present));
      await expect.poll(isWaiting, { interval: 10, timeout: 10_000 }).toBe(true);
      await lockBuyerAddress(tx, former);
    });
    expect((await presses[0])?.headers.get("location")).toContain("what=address_changed");
  });

  it("after a change of e-mail address, a payment may use either address, and a refund the former one", async () => {
    const [former, next] = [freshEmail(), freshEmail()];
    await deliver(paymentEvent({ email: former, id: `1-${former}` }));
    const id = await subscriptionOf(former);
    await ask(await signInWithLink(former), next);
    for (const token of [
      ...(await tokensTo(former, "address-change")),
      ...(await tokensTo(next, "address-change")),
    ])
      await press(token);
    for (const email of [former, next]) {
      const paid = await deliver(paymentEvent({ email, id: `2-${email}` }));
      expect(paid.json.action).toBe("already_provisioned");
    }
    const mails =
      await sql`select recipient from mail_outbox where kind = 'renewed' and subscription_id = ${id}`;
    expect(mails.map(({ recipient }) => recipient)).toEqual([next, next]);
    const refunded = await deliver(
      paymentEvent({ event: "payment.invoice_refunded", email: former, id: `2-${former}` }),
    );
    expect(refunded.json).toMatchObject({ keys_revoked: 1 });
    const [{ n }] = (await sql`
      select count(*)::int as n from subscriptions where email_normalized in (${former}, ${next})`) as [
      { n: number },
    ];
    expect(n).toBe(1);
  });

  it("a change to an invalid, current or confusable e-mail address is refused, as is one by a key without an address", async () => {
    const email = freshEmail();
    await makeKey({ email });
    const cookie = await signInWithLink(email, "192.0.2.77");
    for (const wrong of ["nobody", email.toUpperCase(), `ａ${email}`]) await ask(cookie, wrong);
    // A caller who signed in by key only causes no mail.
    const stranger = freshEmail();
    await ask(await signInWithKey((await makeKey()).key), stranger);
    expect(await tokensTo(stranger, "address-change")).toEqual([]);
    const [{ n }] = (await sql`select count(*)::int as n from account_requests
      where subscription_id = ${await subscriptionOf(email)}`) as [{ n: number }];
    expect(n).toBe(0);
  });
});

describe("stored data of a subscriber", () => {
  it("every table's data about a subscriber is documented with its export and its deletion", async () => {
    const found = await sql`
      select distinct table_name from information_schema.columns
       where table_schema = 'public' and table_name <> 'telegram_bot'
         and table_name not in (select table_name from information_schema.views) and (
         column_name in ('subscription_id', 'email', 'email_normalized', 'email_hash', 'recipient', 'user_id', 'user_name',
           'buyer_encrypted', 'execution_id', 'subscription_ids', 'remaining')
         or table_name in ('subscriptions'))
       order by table_name`;
    expect(found.map(({ table_name }) => table_name)).toEqual(Object.keys(PERSONAL_DATA).toSorted());
    for (const [table, { exported, erase, ...rest }] of Object.entries(PERSONAL_DATA))
      if (exported === null || erase === null) expect("because" in rest, table).toBe(true);
  });

  it("a subscriber's export includes the link that was mailed before a try-out, and the payment platform's customer record", async () => {
    const who = await traceful();
    const answer = await myData(portalRequest("/portal/settings/my-data", who.byLink));
    const data = JSON.parse(await answer.text());
    expect(data.platformCustomers).toEqual([
      {
        platform: "paddle",
        customerId: `ctm_${who.email}`,
        buyer: { email: who.email, name: "Ada Lovelace" },
      },
    ]);
    expect(data.mails.map(({ kind }: { kind: string }) => kind)).toContain("try-out");
    expect(data.invoices.map((each: Record<string, unknown>) => each.externalSubscriptionId)).toContain(
      `sub_${who.tag}2`,
    );
  });

  it("a subscriber's export includes notes, payment payloads, mails and IP addresses, but no key or mailed secret", async () => {
    const who = await traceful();
    const answer = await myData(portalRequest("/portal/settings/my-data", who.byLink));
    const data = JSON.parse(await answer.text());
    for (const { exported } of Object.values(PERSONAL_DATA))
      if (exported !== null) expect(Object.keys(data)).toContain(exported);
    expect(data.subscription).toMatchObject({ email: who.email, notes: `${who.name} called from home` });
    expect(data.paymentDeliveries.length).toBeGreaterThanOrEqual(PLATFORMS.length + 2);
    expect(JSON.stringify(data.paymentDeliveries)).toContain(who.name);
    expect(data.mails[0].content).toMatchObject({ userName: who.name });
    expect(data.clients[0]).toMatchObject({ address: NETWORK });
    expect(data.executions[0].comment).toBe(who.name);
    const text = JSON.stringify(data);
    expect(text).not.toContain(who.key);
    expect(text).not.toContain(ADMIN.address);
    const sealed = await db().execute<{ sealed: string }>(statement`
      select secret_encrypted as sealed from mail_outbox where secret_encrypted is not null`);
    for (const row of sealed) expect(text).not.toContain(decrypt(row.sealed));
  });
});
