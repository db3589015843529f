import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { POST as subscriberForms } from "@/app/admin/(area)/subscribers/[id]/act/route";
import { POST as confirm } from "@/app/login/try-out/confirm/route";
import { POST as request } from "@/app/login/try-out/request/route";
import { OPERATIONS } from "@/app/operations.generated";
import { POST as changeDelivery } from "@/app/portal/delivery/act/route";
import { GET as testerFile } from "@/app/portal/signals/[symbol]/[tf]/tester.csv/route";
import { db } from "@/db/client";
import {
  countClients,
  countSubscribers,
  countSubscribersByGrant,
  listSubscribers,
} from "@/db/queries/subscribers";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { effectiveScope, scopeIncludes } from "@/lib/access/plans";
import { confirmTryOut, emailOfTryOutLink } from "@/lib/access/try-outs";
import { findSubscriber } from "@/lib/auth/find-subscriber";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { candleCloseMs, timeframeMinutes } from "@/lib/market/timeframes";
import { saveRecipient } from "@/lib/outbound/channels/recipients";
import { makeTelegramLink } from "@/lib/outbound/telegram/links";
import { createEndpoint } from "@/lib/outbound/webhooks/endpoints";
import { type Env, env, parseEnv } from "@/lib/runtime/env";
import { decrypt, sha256 } from "@/lib/runtime/secrets";
import { countDirectionsOfLast24Hours } from "@/lib/signals/count-directions-of-last-24-hours";
import { listSlotViews } from "@/lib/signals/list-slot-views";
import { HOUR_MS, MINUTE_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import { type AdminFormHandler, postAdminForm, signInAdmin, takeFlash } from "@/tests/support/admin-browser";
import { call, makeKey } from "@/tests/support/api";
import { applySetting } from "@/tests/support/apply-setting";
import { useDatabase } from "@/tests/support/database";
import { ingest, signalItem } from "@/tests/support/market-data";
import { deliver, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";
import { portalForm, portalRequest, sessionCookieOf, signInWithKey } from "@/tests/support/portal";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

const ACTOR = { kind: "worker" } as const;
/** Values that occur only in the newest signals, which are younger than every tested delay. */
const FRESH = { regime: "FRESHREGIME", probs: [0.7771, 0.1, 0.1229], model_v: "fresh-model" } as const;
const MARKS = ["FRESHREGIME", "0.7771", "fresh-model"];
const SLOTS = [
  ["EURUSD", "H1"],
  ["XAUUSD", "H1"],
  ["EURUSD", "H4"],
] as const;

/** Open time of the candle of a timeframe that closed `back` candles before the one that closed last. */
const candleBack = (timeframe: Timeframe, back: number) => {
  const ms = timeframeMinutes(timeframe) * MINUTE_MS;
  return new Date((Math.floor(Date.now() / ms) - 1 - back) * ms);
};

let address = 0;
const options = () => ({ address: `198.51.100.${++address}` });
const freshEmail = () => `visitor-${randomUUID().slice(0, 8)}@example.com`;
const ask = (email: string) => request(portalForm("/login/try-out/request", { email }, options()));
const press = (token: string) => confirm(portalForm("/login/try-out/confirm", { token }, options()));

async function mailsTo(email: string) {
  const rows = await db().execute<{ kind: string; secret: string | null; props: object }>(sql`
    select kind, secret_encrypted as secret, props from mail_outbox where recipient = ${email} order by id`);
  return rows.map(({ kind, secret, props }) => ({
    kind,
    props,
    secret: secret === null ? "" : decrypt(secret),
  }));
}

const keysOf = (email: string) =>
  db().execute<{
    id: number;
    delay: number | null;
    expires_at: string;
    plan_tier: string;
    live: boolean;
  }>(sql`
    select k.id, k.delay_candles as delay, k.expires_at, k.plan_tier, k.revoked_at is null and k.rotated_at is null as live
      from api_keys k join subscriptions s on s.id = k.subscription_id where s.email = ${email} order by k.id`);

/** Gets a try-out key as a visitor does. */
async function tryOut(email = freshEmail()): Promise<{ key: string; email: string }> {
  await ask(email);
  const link = (await mailsTo(email)).find(({ kind }) => kind === "try-out");
  await press(link?.secret ?? "");
  const mail = (await mailsTo(email)).find(({ kind }) => kind === "key-created");
  return { key: mail?.secret ?? "", email };
}

const setDelay = (email: string, delay: number) =>
  db().execute(sql`update api_keys set delay_candles = ${delay} where subscription_id in (
    select id from subscriptions where email = ${email})`);

beforeAll(async () => {
  const items = SLOTS.flatMap(([symbol, timeframe]) =>
    Array.from({ length: 20 }, (_, i) => {
      const back = 19 - i;
      return signalItem({
        symbol,
        timeframe,
        ts: candleBack(timeframe, back),
        signal: "BUY",
        ...(back === 0 ? { ...FRESH, probs: [...FRESH.probs] } : { model_v: "old-model" }),
      });
    }),
  );
  await ingest("signals", items);
  // An ingest marks old signals as backfilled; these count as made in time.
  await db().execute(sql`update signals set backfilled = false, created_at = closes_at`);
});
beforeEach(() => applySetting("try_out", { enabled: true, delayCandles: 3, days: 14 }));

describe("a try-out by mail", () => {
  it("a confirmed link mails one key per address", async () => {
    const email = freshEmail();
    const asked = await ask(email);
    expect(asked.headers.get("location")).toMatch(/\/login\/try-out\?said=sent$/);
    expect(await keysOf(email)).toHaveLength(0);
    const [link] = await mailsTo(email);
    expect(link?.kind).toBe("try-out");
    const pressed = await Promise.all([1, 2, 3].map(() => press(link?.secret ?? "")));
    expect(pressed.map(({ headers }) => headers.get("location")?.split("said=")[1]).toSorted()).toEqual([
      ...["known", "known", "mailed"],
    ]);
    const [key, ...others] = await keysOf(email);
    expect([others, key?.delay, key?.plan_tier]).toEqual([[], 3, "basic"]);
    expect((await mailsTo(email)).map(({ kind }) => kind)).toEqual(["try-out", "key-created"]);
    for (const answer of pressed) expect(answer.headers.get("location")).not.toContain("key=");
  });

  it("known and unknown addresses get the same answer, and a known one gets a sign-in link", async () => {
    const { email } = await tryOut();
    const buyer = freshEmail();
    await makeKey({ email: buyer });
    const answers = await Promise.all([email, buyer, freshEmail()].map(ask));
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get("location")}`)).size).toBe(
      1,
    );
    expect((await mailsTo(buyer)).map(({ kind }) => kind)).toEqual(["key-created", "sign-in"]);
    expect((await mailsTo(email)).map(({ kind }) => kind)).toEqual(["try-out", "key-created", "sign-in"]);
    for (const one of [email.toUpperCase(), ` ${email}`]) await ask(one);
    expect(await keysOf(email)).toHaveLength(1);
  });

  it("an expired link and an address with a deleted account get no key", async () => {
    const email = freshEmail();
    await ask(email);
    const token = (await mailsTo(email))[0]?.secret ?? "";
    const late = new Date(Date.now() + 25 * HOUR_MS);
    const offer = { planTier: "basic", delayCandles: 3, days: 14 };
    const from = { address: "192.0.2.9", requestId: "r" };
    expect(await confirmTryOut(db(), token, offer, from, late)).toBe("invalid");
    await press(token);
    const [row] = await db().execute<{ address_hash: string }>(sql`
      select address_hash from try_outs t join subscriptions s on s.id = t.subscription_id where s.email = ${email}`);
    expect(row?.address_hash).toMatch(/^[0-9a-f]{64}$/);
    for (const unkeyed of [email, `try-out:${email}`, `try-out-address:${email}`])
      expect(row?.address_hash).not.toBe(sha256(unkeyed));
    await db().execute(
      sql`update subscriptions set email = null, email_normalized = null where email = ${email}`,
    );
    expect(await confirmTryOut(db(), token, offer, from, new Date())).toBe("known");
  });

  it("a forged link is invalid", async () => {
    const email = freshEmail();
    await ask(email);
    const token = (await mailsTo(email))[0]?.secret ?? "";
    expect(emailOfTryOutLink(token, new Date())).toBe(email);
    const [payload = "", signed = ""] = token.split(".");
    const other = Buffer.from(JSON.stringify([Date.now() + HOUR_MS, "eve@example.com"])).toString(
      "base64url",
    );
    for (const wrong of [
      "",
      ".",
      payload,
      `${other}.${signed}`,
      `${payload}.${signed.slice(1)}x`,
      "ü".repeat(50),
    ])
      expect(emailOfTryOutLink(wrong, new Date())).toBeNull();
    expect((await press(`${other}.${signed}`)).headers.get("location")).toMatch(/said=invalid$/);
  });

  it("try-out requests are limited per mail address and network, and refused while try-outs are off", async () => {
    const email = freshEmail();
    for (let n = 0; n < 5; n++) await ask(email);
    expect(await mailsTo(email)).toHaveLength(3);
    const one = options();
    const said = [];
    for (let n = 0; n < 7; n++) {
      const answer = await request(portalForm("/login/try-out/request", { email: freshEmail() }, one));
      said.push(answer.headers.get("location")?.split("said=")[1]);
    }
    expect(said).toEqual([...Array(5).fill("sent"), "too_many", "too_many"]);
    const token = (await mailsTo(email))[0]?.secret ?? "";
    await applySetting("try_out", null);
    expect((await ask(freshEmail())).headers.get("location")).toMatch(/\/login\/try-out$/);
    await press(token);
    expect(await keysOf(email)).toHaveLength(0);
  });

  it("a subscriber with a try-out does not count as a customer", async () => {
    const before = [await countClients(db()), await countSubscribersByGrant(db())];
    const { key } = await tryOut();
    expect((await call("GET", "/api/account/me", { key })).status).toBe(200);
    expect([await countClients(db()), await countSubscribersByGrant(db())]).toEqual(before);
  });
});

describe("a try-out key", () => {
  it.each([1, 3, 12])(
    "a try-out key gets no signal younger than %i candles from any API operation but the key rotation",
    async (delay) => {
      const { key, email } = await tryOut();
      await setDelay(email, delay);
      const paid = (await makeKey({ plan_tier: "basic" })).key;
      const isOldEnough = (timeframe: Timeframe, ts: string) =>
        candleCloseMs(Date.parse(ts), timeframe) <=
        Date.now() - delay * timeframeMinutes(timeframe) * MINUTE_MS;

      const scan = await call("GET", "/api/scan", { key });
      expect(
        scan.json.items.map(({ symbol, timeframe }: Record<string, string>) => [symbol, timeframe]),
      ).toEqual([
        ...[
          ["EURUSD", "H1"],
          ["EURUSD", "H4"],
          ["XAUUSD", "H1"],
        ],
      ]);
      for (const { timeframe, ts } of scan.json.items) expect(isOldEnough(timeframe, ts)).toBe(true);
      const [newest] = scan.json.items;
      expect(isOldEnough("H1", new Date(Date.parse(newest.ts) + HOUR_MS).toISOString())).toBe(false);
      expect([scan.headers.get("x-signals-delayed"), scan.headers.get("signal-receipt")]).toEqual([
        String(delay),
        null,
      ]);
      const history = await call("GET", "/api/signals/EURUSD/H4", { key });
      expect(history.json.length).toBe(20 - delay);
      for (const { ts } of history.json) expect(isOldEnough("H4", ts)).toBe(true);
      const own = await call("GET", "/api/account/signals?days=30&limit=500&include_no_trade=true", { key });
      expect(own.json.count).toBeGreaterThan(0);
      for (const { timeframe, ts } of own.json.signals) expect(isOldEnough(timeframe, ts)).toBe(true);

      const asked = OPERATIONS.filter(({ access }) => access === "key").flatMap(({ method, path }) => {
        const named = path.replace("{symbol}", "EURUSD").replace("{tf}", "H1");
        const forms = [
          "",
          "?expand=validity",
          "?expand=validity,range,levels",
          "?expand=levels",
          "?explain=true",
        ];
        return forms.map((query) => ({ method: method.toUpperCase(), path: `${named}${query}` }));
      });
      expect(asked.length).toBeGreaterThan(50);
      let shown = 0;
      for (const { method, path } of asked.filter(({ path }) => !path.includes("regenerate"))) {
        const answer = await call(method, path, { key, ...(method === "GET" ? {} : { body: {} }) });
        const shownText = `${answer.text} ${JSON.stringify([...answer.headers])}`;
        for (const mark of MARKS) expect(shownText, `${method} ${path}`).not.toContain(mark);
        expect(answer.status, `${method} ${path}`).toBeLessThan(500);
        const other = await call(method, path, { key: paid, ...(method === "GET" ? {} : { body: {} }) });
        if (MARKS.some((mark) => other.text.includes(mark))) shown++;
      }
      // The same requests with a paid key return the newest signals.
      expect(shown).toBeGreaterThan(5);
    },
  );

  it.each([
    ["GET", "/api/scan?wait=5"],
    ["GET", "/api/stream"],
    ["GET", "/api/performance"],
    ["GET", "/api/calibration"],
    ["GET", "/api/history/predictions"],
    ["POST", "/mcp"],
  ])("a try-out key gets 403 not_in_plan from %s %s", async (method, path) => {
    const { key } = await tryOut();
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "scan", arguments: {} } };
    const answer = await call(method, path, { key, ...(method === "POST" ? { body } : {}) });
    expect([answer.status, answer.json.code]).toEqual([403, "not_in_plan"]);
  });

  it("a try-out key gets 304 while the new signal is too young for it", async () => {
    const { key } = await tryOut();
    const before = await call("GET", "/api/scan", { key });
    await ingest("signals", [signalItem({ symbol: "GBPUSD", ...FRESH, probs: [...FRESH.probs] })]);
    const etag = before.headers.get("etag") ?? "";
    const after = await call("GET", "/api/scan", { key, headers: { "If-None-Match": etag } });
    expect([after.status, after.headers.get("x-signals-delayed")]).toEqual([304, "3"]);
  });

  it("a try-out key gets the same answer when it reports a reason for a hidden signal and for a missing one", async () => {
    const { key } = await tryOut();
    const rows = await db().execute<{ id: string }>(
      sql`select id from signals where regime = ${FRESH.regime}`,
    );
    const told = [];
    for (const pred_id of [...rows.map(({ id }) => Number(id)), 999_999_999]) {
      const { status, text } = await call("POST", "/api/executions/not-traded", {
        ...{ key, body: { pred_id, reason: "TOO_LATE" } },
      });
      told.push(`${status} ${text}`);
    }
    expect(new Set(told.map((text) => text.replace(/"request_id":"[^"]*"/, ""))).size).toBe(1);
    const { json } = await call("GET", "/api/scan?expand=validity", { key });
    const seen = { pred_id: json.items[0].pred_id, reason: "TOO_LATE" };
    expect((await call("POST", "/api/executions/not-traded", { key, body: seen })).status).toBe(201);
  });

  it("a try-out key cannot add a webhook, chat or channel, and gets no pushed messages", async () => {
    const { key } = await tryOut();
    const cookie = await signInWithKey(key, options().address);
    const found = await findSubscriber(cookiesOf(new Headers({ cookie })));
    const subscriber = found.kind === "subscriber" ? found.subscriber : null;
    if (subscriber === null) throw new Error("not signed in");
    const url = "https://receiver.example.test/hook";
    const events = ["signal.created"];
    for (const tried of [
      createEndpoint(db(), subscriber, { url, events }, ACTOR),
      makeTelegramLink(db(), subscriber, ACTOR),
      saveRecipient(
        db(),
        subscriber,
        "discord",
        { address: url, events: ["signal"], quietFrom: null, quietTo: null } as never,
        ACTOR,
      ),
    ])
      await expect(tried).rejects.toMatchObject({ code: "conflict" });
    const { subscriptionId } = subscriber;
    const grant = { ...subscriber, plans: null };
    expect(computeReceiverAccess({ subscriptionId, grant })).toBeNull();
    expect(computeReceiverAccess({ subscriptionId, grant: { ...grant, delayCandles: null } })).not.toBeNull();
    const linked = await changeDelivery(
      portalForm("/portal/delivery/act?intent=link-telegram", {}, { cookie, ...options() }),
    );
    expect(linked.status).toBe(303);
    expect(
      await db().execute(sql`select 1 from telegram_links where subscription_id = ${subscriptionId}`),
    ).toEqual(expect.objectContaining({ length: 0 }));
  });

  it("a try-out key gets delayed signals in the portal, no counts of directions and no file for the Strategy Tester", async () => {
    const { key } = await tryOut();
    const cookie = await signInWithKey(key, options().address);
    const found = await findSubscriber(cookiesOf(new Headers({ cookie })));
    if (found.kind !== "subscriber") throw new Error("not signed in");
    const { scope, versions } = found.subscriber;
    expect(scopeIncludes(scope, "EURUSD", "H1")).toBe(true);
    const { slots } = await listSlotViews(scope, versions.signals, new Date());
    expect(slots.map(({ signal }) => signal?.modelV)).toEqual(["old-model", "old-model", "old-model"]);
    // A statement that does not apply the delay returns nothing.
    expect(await countDirectionsOfLast24Hours(scope)).toEqual({ BUY: 0, SELL: 0, NO_TRADE: 0 });
    const full = effectiveScope({ ...found.subscriber, delayCandles: null });
    expect((await countDirectionsOfLast24Hours(full)).BUY).toBeGreaterThan(0);
    const file = await testerFile(portalRequest("/portal/signals/EURUSD/H1/tester.csv", cookie), {
      params: Promise.resolve({ symbol: "EURUSD", tf: "H1" }),
    });
    expect(file.status).toBe(404);
    expect(sessionCookieOf(file)).toBeNull();
  });

  it("a try-out key stays delayed after a rotation, and gets key_expired after its end", async () => {
    const { key, email } = await tryOut();
    const { json } = await call("POST", "/api/account/regenerate-key", { key });
    const rotated = await call("GET", "/api/scan", { key: json.api_key });
    expect(rotated.headers.get("x-signals-delayed")).toBe("3");
    await db().execute(sql`update api_keys set expires_at = now() - interval '1 minute'
      where subscription_id in (select id from subscriptions where email = ${email})`);
    for (const path of ["/api/scan", "/api/performance", "/api/stream"]) {
      const { status, json: ended } = await call("GET", path, { key: json.api_key });
      expect([path, status, ended.code]).toEqual([path, 401, "key_expired"]);
    }
  });

  it.each([
    ["while it works", "13 days"],
    ["after its end", "-2 days"],
  ])("a try-out key becomes a paid key by a payment %s", async (_, left) => {
    const { key, email } = await tryOut();
    await db().execute(sql`update api_keys set expires_at = now() + ${left}::interval
      where subscription_id in (select id from subscriptions where email = ${email})`);
    const paid = await deliver(paymentEvent({ email, productId: "3031361" }));
    expect([paid.status, paid.json.action]).toEqual([200, "already_provisioned"]);
    const [converted, ...others] = await keysOf(email);
    expect([others, converted?.delay, converted?.live]).toEqual([[], null, true]);
    const scan = await call("GET", "/api/scan", { key });
    expect([scan.status, scan.headers.get("x-signals-delayed")]).toEqual([200, null]);
    expect(scan.text).toContain("FRESHREGIME");
    expect((await call("GET", "/api/performance", { key })).status).toBe(200);
    // A buyer without a try-out gets the same time.
    const other = freshEmail();
    await deliver(paymentEvent({ email: other, productId: "3031361" }));
    const [bought] = await keysOf(other);
    const days = (row: typeof bought) =>
      Math.round((Date.parse(row?.expires_at ?? "") - Date.now()) / HOUR_MS);
    expect(days(converted)).toBe(days(bought));
    // The next payment extends both keys equally.
    await deliver(paymentEvent({ email, productId: "3031361" }));
    await deliver(paymentEvent({ email: other, productId: "3031361" }));
    const [[again], [same]] = [await keysOf(email), await keysOf(other)];
    expect(days(again)).toBe(days(same));
  });
});

describe("a try-out in the administration", () => {
  const { "make-full": makeFull, "stop-try-out": stop } = subscriberForms.forms;
  let admin = "";
  beforeAll(async () => {
    admin = await signInAdmin();
  });

  const idOf = async (email: string) => {
    const [row] = await db().execute<{ id: number }>(
      sql`select id from subscriptions where email = ${email}`,
    );
    return row?.id ?? 0;
  };
  const send = async (handler: AdminFormHandler<{ id: string }>, email: string) => {
    const [key] = await keysOf(email);
    const id = await idOf(email);
    await postAdminForm(handler, { id: String(id) }, { key_id: String(key?.id) }, { cookie: admin });
    return takeFlash(admin);
  };
  const newestAudit = async () => {
    const [row] = await db().execute<{ action: string; details: object }>(
      sql`select action, details from admin_audit order by id desc limit 1`,
    );
    return row;
  };

  it("a try-out is marked in the list of subscribers, which can show only try-outs or leave them out", async () => {
    const { email } = await tryOut();
    await makeKey();
    const list = (tryOut?: boolean) =>
      listSubscribers(db(), { filter: { tryOut }, order: "newest", limit: 200, offset: 0 });
    const [all, only, others] = await Promise.all([list(), list(true), list(false)]);
    expect(all.find((row) => row.email === email)?.delayCandles).toBe(3);
    expect(only.every(({ delayCandles }) => delayCandles !== null)).toBe(true);
    expect(others.every(({ delayCandles }) => delayCandles === null)).toBe(true);
    expect(only.length * others.length).toBeGreaterThan(0);
    expect(only.length + others.length).toBe(all.length);
    expect(await countSubscribers(db(), { tryOut: true })).toBe(only.length);
  });

  it("a try-out ends at once by a button, and a payment makes the same key valid again", async () => {
    const { key, email } = await tryOut();
    expect(await send(stop, email)).toMatchObject({ kind: "done" });
    expect((await call("GET", "/api/scan", { key })).json.code).toBe("key_expired");
    expect(await newestAudit()).toMatchObject({ action: "key.stop_try_out" });
    expect(await send(stop, email)).toMatchObject({ kind: "failed", text: expect.stringMatching(/is over/) });
    await deliver(paymentEvent({ email, productId: "3031361" }));
    const scan = await call("GET", "/api/scan", { key });
    expect([scan.status, scan.headers.get("x-signals-delayed")]).toEqual([200, null]);
  });

  it("the button that makes a try-out a full key removes the delay and keeps the end; its paid time stays one gift", async () => {
    const { key, email } = await tryOut();
    const [before] = await keysOf(email);
    expect(await send(makeFull, email)).toMatchObject({ kind: "done" });
    const [after] = await keysOf(email);
    expect(after).toEqual({ ...before, delay: null });
    const scan = await call("GET", "/api/scan", { key });
    expect([scan.status, scan.headers.get("x-signals-delayed")]).toEqual([200, null]);
    expect(scan.text).toContain("FRESHREGIME");
    expect((await call("GET", "/api/performance", { key })).status).toBe(200);
    expect(await newestAudit()).toMatchObject({ action: "key.make_full", details: { delayCandles: 3 } });
    const ledger = await db().execute<{ kind: string }>(
      sql`select kind from paid_time where key_id = ${after?.id}`,
    );
    expect(ledger.map(({ kind }) => kind)).toEqual(["gift"]);
    await deliver(paymentEvent({ email, productId: "3031361" }));
    const [paid] = await keysOf(email);
    const addedMs = Date.parse(paid?.expires_at ?? "") - Date.parse(after?.expires_at ?? "");
    expect(addedMs / HOUR_MS).toBeCloseTo(31 * 24, 1);
    for (const handler of [makeFull, stop])
      expect(await send(handler, email)).toMatchObject({
        kind: "failed",
        text: expect.stringMatching(/not a try-out/),
      });
  });

  it("a try-out of another subscriber cannot be changed through a subscriber's form", async () => {
    const { email } = await tryOut();
    const { email: other } = await tryOut();
    const [key] = await keysOf(email);
    for (const handler of [makeFull, stop])
      await postAdminForm(
        handler,
        { id: String(await idOf(other)) },
        { key_id: String(key?.id) },
        { cookie: admin },
      );
    expect(await keysOf(email)).toEqual([key]);
  });
});

describe("replacing the encryption key", () => {
  let former: Env;
  beforeEach(() => {
    former = { ...env() };
  });
  afterEach(() => {
    Object.assign(env(), former);
  });

  it("replacing the encryption key does not allow a second try-out for an address", async () => {
    const [OLD, NEW] = ["1:test-encryption-key-0123456789", "2:a-new-key-0123456789"];
    const restartWith = (keys: string) =>
      Object.assign(env(), parseEnv({ ...process.env, ENCRYPTION_KEY: "", ENCRYPTION_KEYS: keys }));
    const offer = { planTier: "basic", delayCandles: 3, days: 14 };
    const from = { address: "192.0.2.9", requestId: "r" };
    const linkTo = async (email: string) => {
      await ask(email);
      return (await mailsTo(email)).find(({ kind }) => kind === "try-out")?.secret ?? "";
    };
    const confirmed = (token: string) => confirmTryOut(db(), token, offer, from, new Date());
    const erase = (email: string) =>
      db().execute(
        sql`update subscriptions set email = null, email_normalized = null where email = ${email}`,
      );

    const [first, second, third] = [freshEmail(), freshEmail(), freshEmail()];
    const links = [await linkTo(first), await linkTo(second), await linkTo(third)] as const;
    // Deleted accounts: only the hash of the address remembers the try-out.
    expect(await confirmed(links[0])).toBe("mailed");
    await erase(first);
    restartWith(`${OLD},${NEW}`);
    expect(await confirmed(links[0])).toBe("known");
    expect(await confirmed(links[1])).toBe("mailed");
    await erase(second);
    restartWith(`${NEW},${OLD}`);
    for (const link of [links[0], links[1]]) expect(await confirmed(link)).toBe("known");
    expect(await confirmed(links[2])).toBe("mailed");
    await erase(third);
    // A replica that has not restarted yet.
    restartWith(`${OLD},${NEW}`);
    for (const link of links) expect(await confirmed(link)).toBe("known");
    restartWith(NEW);
    expect(await confirmed(links[2])).toBe("known");
  });
});
