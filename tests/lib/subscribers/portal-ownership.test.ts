import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { POST as pick } from "@/app/login/pick/route";
import { GET as exportCsv } from "@/app/portal/executions/export/route";
import { POST as keyForms } from "@/app/portal/key/act/route";
import { GET as live } from "@/app/portal/live/route";
import { GET as exportPayments } from "@/app/portal/payments/export/route";
import { POST as settings } from "@/app/portal/settings/act/route";
import { GET as myData } from "@/app/portal/settings/my-data/route";
import { db } from "@/db/client";
import { groupExecutions, listClosedResults, sumFilteredExecutions } from "@/db/queries/execution-figures";
import { listRejectedReports } from "@/db/queries/execution-reports";
import { listExecutionFilterValues, listFilteredExecutions } from "@/db/queries/executions";
import { findAccessInvoice, listInvoices } from "@/db/queries/payments";
import { listOpenSessions } from "@/db/queries/sessions";
import { getSubscription, listSubscriptionsOfPerson } from "@/db/queries/subscriptions";
import { findSubscriber, type Subscriber } from "@/lib/auth/find-subscriber";
import { consumeFlash } from "@/lib/auth/flash";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { recentRequests } from "@/lib/subscribers/recent-requests";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { deliver, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";
import { portalForm, portalRequest, signInWithKey, signInWithLink } from "@/tests/support/portal";

const { rotate } = keyForms.forms;
const { save: saveSettings } = settings.forms;

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

const who = async (cookie: string): Promise<Subscriber> => {
  const found = await findSubscriber(cookiesOf(new Headers({ cookie })));
  if (found.kind !== "subscriber") throw new Error(found.kind);
  return found.subscriber;
};

let ada: Subscriber;
let ben: Subscriber;
let adaKey: string;
let benCookie: string;

const FILTERS = [
  "",
  "?symbol=EURUSD",
  "?state=closed&sort=pnl&dir=asc",
  "?outcome=win",
  "?result=TP&timeframe=H1&signal=BUY",
  "?from=2020-01-01&to=2030-01-01&closed_on=2026-11-20",
  "?subscription=1&subscriptionId=1&subscription_id=1",
  "?for=excel",
];

beforeAll(async () => {
  const adas = await makeKey({ email: "ada@example.test" });
  const bens = await makeKey({ email: "ben@example.test" });
  adaKey = adas.key;
  ada = await who(await signInWithKey(adas.key));
  benCookie = await signInWithLink("ben@example.test");
  ben = await who(benCookie);
  await call("POST", "/api/executions", {
    key: adas.key,
    body: {
      ticket: 4711,
      symbol: "EURUSD",
      timeframe: "H1",
      signal: "BUY",
      opened_at: "2026-11-20T10:00:00Z",
      closed_at: "2026-11-20T12:00:00Z",
      pnl: 12.34,
      result: "TP",
    },
  });
  await call("POST", "/api/executions", {
    key: adas.key,
    body: { ticket: 4712, symbol: "ADASECRET", timeframe: "H1" },
  });
  await call("GET", "/api/scan", { key: bens.key });
});

describe("another subscriber's data is not visible", () => {
  it("another subscriber's executions are in no read or group of a subscriber's executions", async () => {
    const own = { subscriptionId: ben.subscriptionId };
    const clock = { zone: "UTC", addMinutes: 0 };
    expect((await sumFilteredExecutions(db(), own)).nTotal).toBe(0);
    expect(await listClosedResults(db(), own)).toEqual([]);
    expect(
      await listFilteredExecutions(db(), own, { sort: "opened_at", descending: true }, { limit: 10 }),
    ).toEqual([]);
    for (const by of ["symbol", "timeframe", "hour", "weekday", "month", "day"] as const)
      expect(await groupExecutions(db(), own, by, clock)).toEqual([]);
    expect(await listExecutionFilterValues(db(), ben.subscriptionId)).toEqual({
      symbols: [],
      timeframes: [],
      results: [],
      currencies: [],
    });
    expect(await listRejectedReports(db(), ben.subscriptionId, 10)).toEqual([]);
    expect(await findAccessInvoice(db(), ben.subscriptionId)).toBeNull();
  });

  it("the export for Excel has a byte order mark and exact tickets", async () => {
    const exported = async (key: string, query: string) => {
      const cookie = await signInWithKey(key);
      const answer = await exportCsv(portalRequest(`/portal/executions/export${query}`, cookie));
      return Buffer.from(await answer.arrayBuffer()).toString();
    };
    const excel = await exported(adaKey, "?for=excel");
    expect(excel.charCodeAt(0)).toBe(0xfeff);
    expect(excel).toContain('"=""4711"""');
    const plain = await exported(adaKey, "");
    expect([plain.startsWith("exec_id,"), plain.includes(",4711,") || plain.includes("4711,EURUSD")]).toEqual(
      [true, true],
    );
  });

  it.each(FILTERS)("another subscriber's executions are not in the export with %j", async (query) => {
    const answer = await exportCsv(portalRequest(`/portal/executions/export${query}`, benCookie));
    expect(answer.status).toBe(200);
    expect((await answer.text()).split("\r\n").filter(Boolean)).toHaveLength(1);
  });

  it("another subscriber's payments are not in the payments or their export, which contain one's own", async () => {
    await deliver(paymentEvent({ email: "ada@example.test", id: "=adas+invoice" }));
    const rows = await listInvoices(db(), ada.subscriptionId);
    expect(rows).toMatchObject([
      { invoiceId: "=adas+invoice", amount: "49.9", effect: "renewed", state: "paid" },
    ]);
    expect(await listInvoices(db(), ben.subscriptionId)).toEqual([]);
    const exported = async (cookie: string) =>
      (await exportPayments(portalRequest("/portal/payments/export", cookie))).text();
    const head =
      "invoice_id,paid_at,product_id,plan_tier,amount,currency,effect,access_until,state,ended_at,ended_by,refunded_amount\r\n";
    expect(await exported(benCookie)).toBe(head);
    const paidAt = rows[0]!.paidAt.toISOString().slice(0, 19);
    expect(await exported(await signInWithKey(adaKey))).toBe(
      `${head}'=adas+invoice,${paidAt}Z,3031367,pro,49.9,,renewed,,paid,,,\r\n`,
    );
  });

  it("another subscriber's data and hashes of keys are not in the export of all data", async () => {
    const text = await (await myData(portalRequest("/portal/settings/my-data", benCookie))).text();
    const data = JSON.parse(text);
    expect(data.subscription.email).toBe("ben@example.test");
    expect(data.executions).toEqual([]);
    expect(text).not.toMatch(/ada@|4711|ADASECRET/);
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  it("another subscriber's sessions, requests and new keys are not visible", async () => {
    const sessions = await listOpenSessions(db(), ben);
    expect(sessions.map((session) => session.sessionId)).toEqual([ben.sessionId]);
    const { since } = await recentRequests(ben.subscriptionId);
    expect(Math.abs(Date.now() - process.uptime() * 1000 - since.getTime())).toBeLessThan(2_000);
    expect((await recentRequests(ben.subscriptionId)).requests.map((request) => request.route)).toEqual([
      "/api/scan",
    ]);
    expect(await consumeFlash(db(), ben.sessionId)).toBeNull();
  });

  it("another subscriber's subscription cannot be chosen", async () => {
    await pick(
      portalForm("/login/pick", { subscription: String(ada.subscriptionId) }, { cookie: benCookie }),
    );
    expect((await who(benCookie)).subscriptionId).toBe(ben.subscriptionId);
  });

  it("a session opened with one of several keys of an address shows only that key's subscription", async () => {
    const second = await makeKey({ email: "ada@example.test" });
    const byKey = await who(await signInWithKey(adaKey));
    const choices = await listSubscriptionsOfPerson(db(), byKey);
    expect(choices.map((choice) => choice.subscriptionId)).toEqual([ada.subscriptionId]);
    expect(second.keyId).not.toBe(byKey.keyId);
  });

  it("another subscriber's changes are not in the live state", async () => {
    const state = await (await live(portalRequest("/portal/live?once", benCookie))).json();
    expect(Object.keys(state)).toEqual(["at", "subscriptionId", "signals", "executions", "ea"]);
    expect(state.subscriptionId).toBe(ben.subscriptionId);
    expect(state.executions).toBe(0);
  });

  it("settings are per subscription and cannot change another one", async () => {
    await saveSettings(
      portalForm(
        "/portal/settings/act?intent=save",
        { display_name: "Benny", time_zone: "Europe/Berlin", broker_clock: "120", subscription: "1" },
        { cookie: benCookie },
      ),
    );
    expect((await getSubscription(db(), ben.subscriptionId)).preferences).toEqual({
      displayName: "Benny",
      timeZone: "Europe/Berlin",
      brokerOffsetMinutes: 120,
      mailReminders: false,
      mailEaOffline: false,
      mailModels: false,
      mailNotices: false,
      mailIncidents: false,
    });
    expect((await getSubscription(db(), ada.subscriptionId)).preferences).toEqual({});
  });

  it("two downloads, the live state and two forms lead to sign-in without a session", async () => {
    for (const get of [exportCsv, myData, live]) {
      const answer = await get(portalRequest("/portal/x"));
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/login"]);
    }
    const ended = `${await signInWithKey(adaKey)}x`;
    for (const [post, page] of [
      [rotate, "key"],
      [saveSettings, "settings"],
    ] as const) {
      const send = async (cookie?: string) => {
        const answer = await post(
          portalForm("/portal/x", { typed_word: "ROTATE" }, cookie ? { cookie } : {}),
        );
        return [answer.status, answer.headers.get("location")];
      };
      const signIn = `/login?next=%2Fportal%2F${page}`;
      expect(await send()).toEqual([303, signIn]);
      expect(await send(ended), "a session that ended").toEqual([303, `${signIn}&notice=ended`]);
    }
  });
});

describe("a subscriber with several subscriptions", () => {
  it("a subscriber with several subscriptions chooses one after signing in by link, and sees that one", async () => {
    const email = "several@example.test";
    await makeKey({ email });
    await makeKey({ email, plan_tier: "basic" });
    const cookie = await signInWithLink(email, "10.2.0.1");
    const found = await findSubscriber(cookiesOf(new Headers({ cookie })));
    if (found.kind !== "no-access") throw new Error("a subscription was chosen without asking");
    const [, second] = await listSubscriptionsOfPerson(db(), found.session);
    await pick(portalForm("/login/pick", { subscription: String(second?.subscriptionId) }, { cookie }));
    expect(await who(cookie)).toMatchObject({ subscriptionId: second?.subscriptionId, planTier: "basic" });
  });
});

describe("key rotation in the portal", () => {
  it("a rotation ends the old key at once, shows the new one once in this session, and ends other sessions of the old key", async () => {
    const { key } = await makeKey();
    const [cookie, other] = [await signInWithKey(key), await signInWithKey(key)];
    const before = await who(cookie);

    const answer = await rotate(
      portalForm("/portal/key/act?intent=rotate", { typed_word: "ROTATE" }, { cookie }),
    );

    expect(answer.headers.get("location")).toBe("/portal/key/new");
    expect((await call("GET", "/api/account/me", { key })).json.code).toBe("key_rotated");
    const after = await who(cookie);
    expect(after.subscriptionId).toBe(before.subscriptionId);
    const flash = await consumeFlash(db(), after.sessionId);
    if (flash?.kind !== "own-key") throw new Error("no key is shown");
    expect((await call("GET", "/api/account/me", { key: flash.apiKey })).status).toBe(200);
    expect(await consumeFlash(db(), after.sessionId)).toBeNull();
    await expect(who(other)).rejects.toThrow("signed-out");
  });

  it("a rotation is refused without the typed word, and needs a sign-in within the last ten minutes", async () => {
    const { key } = await makeKey();
    const cookie = await signInWithKey(key);
    const silent = await rotate(
      portalForm("/portal/key/act?intent=rotate", { typed_word: "rotate?" }, { cookie }),
    );
    expect(silent.headers.get("location")).toBe("/portal/key");
    const { sessionId } = await who(cookie);
    await db().execute(
      `update sessions set created_at = now() - interval '11 minutes' where id = '${sessionId}'`,
    );
    const late = await rotate(
      portalForm("/portal/key/act?intent=rotate", { typed_word: "ROTATE" }, { cookie }),
    );
    expect(late.headers.get("location")).toBe("/login?next=%2Fportal%2Fkey&notice=again");
    expect((await call("GET", "/api/account/me", { key })).status).toBe(200);
  });

  it("a rotation happens once for two concurrent requests", async () => {
    const { key } = await makeKey({ email: "race@example.test" });
    const cookies = [await signInWithLink("race@example.test", "10.2.0.2"), await signInWithKey(key)];
    const answers = await Promise.all(
      cookies.map((cookie) =>
        rotate(portalForm("/portal/key/act?intent=rotate", { typed_word: "ROTATE" }, { cookie })),
      ),
    );
    expect(answers.filter((answer) => answer.headers.get("location") === "/portal/key/new")).toHaveLength(1);
  });
});

describe("a stale tab", () => {
  const twoOf = async (email: string) => {
    const [first, second] = [await makeKey({ email }), await makeKey({ email })];
    const cookie = await signInWithLink(email);
    const subscriptionOf = async ({ key }: { key: string }) =>
      (await who(await signInWithKey(key))).subscriptionId;
    const ids = [await subscriptionOf(first), await subscriptionOf(second)] as const;
    const show = (id: number) => pick(portalForm("/login/pick", { subscription: String(id) }, { cookie }));
    return { cookie, ids, show, keys: [first.key, second.key] as const };
  };
  const works = async (key: string) => (await call("GET", "/api/account/me", { key })).status === 200;

  it("a stale tab cannot rotate the key of a subscription chosen in another tab, and says so", async () => {
    const { cookie, ids, show, keys } = await twoOf("tabs@example.test");
    await show(ids[0]);
    const shown = await who(cookie);
    expect(shown.subscriptionId).toBe(ids[0]);
    const fields = { typed_word: "ROTATE", seen_by: String(ids[0]), key_id: String(shown.keyId) };
    await show(ids[1]);
    const answer = await rotate(portalForm("/portal/key/act?intent=rotate", fields, { cookie }));
    expect([answer.status, (await answer.text()).length > 40]).toEqual([409, true]);
    expect([await works(keys[0]), await works(keys[1])]).toEqual([true, true]);
    await show(ids[0]);
    expect((await rotate(portalForm("/portal/key/act?intent=rotate", fields, { cookie }))).status).toBe(303);
    expect([await works(keys[0]), await works(keys[1])]).toEqual([false, true]);
    // A repeated form refers to a key that no longer exists.
    expect((await rotate(portalForm("/portal/key/act?intent=rotate", fields, { cookie }))).status).toBe(409);
  });

  it("a stale tab cannot change settings of another subscription", async () => {
    const { cookie, ids, show } = await twoOf("tabs2@example.test");
    await show(ids[1]);
    const fields = { display_name: "Wrong", time_zone: "", broker_clock: "0", seen_by: String(ids[0]) };
    const answer = await saveSettings(portalForm("/portal/settings/act?intent=save", fields, { cookie }));
    expect(answer.status).toBe(409);
    expect((await who(cookie)).preferences).toEqual({});
  });

  it("a tab sends the subscription of its page with every form", () => {
    const pages = readdirSync("app/portal", { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".tsx"))
      .map((path) => ({ path, text: readFileSync(join("app/portal", path), "utf8") }));
    const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0;
    const unnamed = pages
      .filter(
        ({ text }) =>
          count(text, /method="post"|<ConfirmDialog|<DeleteAccountDialog/g) -
            count(text, /paths\.signOut\(\)|adminPaths\.subscriberForm\(/g) !==
          count(text, /<ShownSubscriptionField \/>/g),
      )
      .map(({ path }) => path);
    expect(unnamed).toEqual([]);
  });
});
