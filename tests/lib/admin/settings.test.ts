import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { POST as savePlan } from "@/app/admin/(area)/settings/plans/[name]/save/route";
import { POST as removeProduct } from "@/app/admin/(area)/settings/products/remove/route";
import { POST as saveProduct } from "@/app/admin/(area)/settings/products/save/route";
import { POST as saveSymbol } from "@/app/admin/(area)/settings/symbols/save/route";
import { db } from "@/db/client";
import { listPlans } from "@/db/queries/plans";
import { listSymbolsWithGuessedCalendar } from "@/db/queries/symbols";
import { mailContext } from "@/lib/outbound/mail/links";
import { renderMail } from "@/lib/outbound/mail/render-mail";
import { includesTradingClient } from "@/lib/runtime/plan-features";
import { INITIAL_SETTINGS, settingsCache } from "@/lib/runtime/settings-cache";
import {
  type AdminFormHandler,
  postFormForFlash,
  signInAdmin,
  storeSetting,
} from "@/tests/support/admin-browser";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { ingest, modelItem, signalItem } from "@/tests/support/market-data";

useDatabase();

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
  await ingest("models", [modelItem("EURUSD"), modelItem("XAUUSD"), modelItem("USDJPY")]);
  await ingest("signals", [
    signalItem({ symbol: "EURUSD" }),
    signalItem({ symbol: "XAUUSD" }),
    signalItem({ symbol: "USDJPY" }),
  ]);
});

const send = <P>(handler: AdminFormHandler<P>, params: P, fields: Record<string, string>) =>
  postFormForFlash(handler, params, fields, cookie);
const store = <P>(handler: AdminFormHandler<P>, params: P, fields: Record<string, string>) =>
  storeSetting(handler, params, fields, cookie);

const basic = {
  title: "Basic",
  for_whom: "One trading client on the main symbols",
  rank: "200",
  symbols: "EURUSD, GBPUSD, XAUUSD",
  timeframes: "H1, H4",
  rate_limit_per_min: "60",
  long_poll: "true",
  stream: "true",
  telegram: "true",
  trading_client: "true",
  price_text: "",
  shop_url: "",
  is_shown: "true",
};
const { long_poll: _, stream: __, ...withoutWaiting } = basic;

const auditOf = (action: string) =>
  db().execute<{ target: string; details: { before: unknown; after: unknown } }>(
    sql`select target, details from admin_audit where action = ${action} order by id`,
  );
const symbolsOf = async (key: string) =>
  (await call("GET", "/api/scan", { key })).json.items.map((item: { symbol: string }) => item.symbol);

describe("plans", () => {
  it("the stored plans equal the initial values that apply before the first read", async () => {
    expect(await listPlans(db())).toEqual(INITIAL_SETTINGS.plans);
  });

  it("a change to a plan previews how many subscribers would be cut off, and applies from the next request on", async () => {
    const { key, keyId } = await makeKey({ plan_tier: "basic" });
    await makeKey({ plan_tier: "basic", symbols_allowed: ["USDJPY", "XAUUSD"] });
    await db().execute(sql`
      insert into invoices (invoice_id, state, subscription_id) select 'i1', 'paid', subscription_id from api_keys where id = ${keyId}`);
    expect(await symbolsOf(key)).toEqual(["EURUSD", "XAUUSD"]);

    const change = { ...basic, symbols: "EURUSD", rate_limit_per_min: "50" };
    const preview = await send(savePlan, { name: "basic" }, change);
    if (preview?.kind !== "preview") throw new Error("no preview");
    expect(preview.cutsOff).toBe(1);
    expect(preview.lines).toEqual([
      "1 subscriber (0 of them paid) would be cut off: they would see no slot at all.",
      "1 subscriber (1 of them paid) would lose XAUUSD H1.",
      "2 subscribers (1 of them paid) would go from 60 to 50 requests a minute.",
      "Removed symbols: GBPUSD, XAUUSD.",
      "2 subscribers (1 of them paid) have this plan.",
    ]);
    expect(await symbolsOf(key), "a preview changes nothing").toEqual(["EURUSD", "XAUUSD"]);

    // A further subscriber makes the preview outdated.
    await makeKey({ plan_tier: "basic" });
    const again = await send(savePlan, { name: "basic" }, { ...change, mark: preview.mark });
    expect(again?.kind).toBe("preview");
    expect(await auditOf("plan.change")).toHaveLength(0);

    await store(savePlan, { name: "basic" }, change);
    expect(await symbolsOf(key)).toEqual(["EURUSD"]);
    const me = await call("GET", "/api/account/me", { key });
    expect(me.json.rate_limit_per_min).toBe(50);
    expect(me.headers.get("x-ratelimit-limit")).toBe("50");
    expect(await auditOf("plan.change")).toMatchObject([
      {
        target: "plan/basic",
        details: {
          before: { symbols: ["EURUSD", "GBPUSD", "XAUUSD"], rateLimitPerMin: 60 },
          after: { symbols: ["EURUSD"], rateLimitPerMin: 50 },
        },
      },
    ]);
    expect(await send(savePlan, { name: "basic" }, change)).toMatchObject({
      text: expect.stringContaining("nothing was changed"),
    });
    await store(savePlan, { name: "basic" }, basic);
  });

  it("a plan changed by another instance applies here within a second", async () => {
    const stop = settingsCache().keep();
    const { key } = await makeKey({ plan_tier: "basic" });
    await db().execute(sql`update plans set rate_limit_per_min = 77 where name = 'basic'`);
    await expect
      .poll(async () => (await call("GET", "/api/account/me", { key })).json.rate_limit_per_min, {
        timeout: 1_000,
        interval: 50,
      })
      .toBe(77);
    await db().execute(sql`update plans set rate_limit_per_min = 60 where name = 'basic'`);
    stop();
    await settingsCache().readAgain();
  });

  it("a plan created by the operator is in the API under its own name", async () => {
    const scalper = {
      ...withoutWaiting,
      name: "scalper",
      title: "Scalper",
      rank: "250",
      symbols: "USDJPY",
      rate_limit_per_min: "90",
    };
    expect((await store(savePlan, { name: "new" }, scalper)).lines[0]).toContain("It shows 1 of 3 slots");
    const { key } = await makeKey({ plan_tier: "scalper" });
    expect((await call("GET", "/api/account/me", { key })).json).toMatchObject({
      plan_tier: "scalper",
      rate_limit_per_min: 90,
    });
    expect(await symbolsOf(key)).toEqual(["USDJPY"]);
    const waiting = await call("GET", "/api/scan?wait=1", { key });
    expect([waiting.status, waiting.json.code]).toEqual([403, "not_in_plan"]);
    expect((await call("GET", "/api/scan?wait=0", { key })).status).toBe(200);
    const stream = await call("GET", "/api/stream", { key });
    expect([stream.status, stream.json.code]).toEqual([403, "not_in_plan"]);
    expect(await send(savePlan, { name: "new" }, scalper)).toMatchObject({
      kind: "form",
      errors: { name: "is the name of a plan already" },
    });
  });

  it("a plan without trading clients has key mails that ask to link Telegram, not MetaTrader", async () => {
    const { trading_client: _, ...chat } = { ...basic, name: "chat", title: "Chat", rank: "150" };
    await store(savePlan, { name: "new" }, chat);
    expect(["telegram", "chat", "basic"].map((planTier) => includesTradingClient({ planTier }))).toEqual([
      false,
      false,
      true,
    ]);
    expect(includesTradingClient({ planTier: "basic", plans: ["basic", "chat"] })).toBe(true);
    const mail = async (planTier: string) =>
      (
        await renderMail({
          kind: "key-created",
          props: { userName: "Ada", planTier, expiresAt: null },
          secret: "00000000-0000-4000-8000-000000000000",
          site: { ...mailContext(), hasTelegramBot: true },
        })
      ).text;
    expect(await mail("chat")).toContain("Link Telegram");
    expect(await mail("chat")).not.toContain("MetaTrader");
    expect(await mail("basic")).toContain("MetaTrader");
  });

  it.each([
    [{ rank: "250" }, { rank: "is the rank of another plan" }],
    [{ rank: "50" }, { rank: expect.stringContaining("must keep the order") }],
    [{ rate_limit_per_min: "0" }, { rate_limit_per_min: "must be a whole number from 1 to 100000" }],
    [{ shop_url: "javascript:alert(1)" }, { shop_url: expect.stringContaining("https://") }],
    [{ timeframes: "H9" }, { timeframes: expect.stringContaining("timeframes") }],
  ])("a plan is refused with %j", async (wrong, errors) => {
    expect(await send(savePlan, { name: "basic" }, { ...basic, ...wrong })).toMatchObject({
      kind: "form",
      errors,
    });
  });

  it("a change that narrows the plan owner is refused", async () => {
    const owner = { ...basic, title: "Owner", rank: "1000000" };
    expect(await send(savePlan, { name: "owner" }, owner)).toMatchObject({ kind: "failed" });
  });

  it("a request that names an unknown plan gets 422 with the field's name", async () => {
    const made = await call("POST", "/admin/keys", {
      admin: true,
      body: { user_name: "A", plan_tier: "gold" },
    });
    expect(made.status).toBe(422);
    expect(made.json.errors[0].loc).toEqual(["body", "plan_tier"]);
    expect((await call("GET", "/admin/keys?plan_tier=gold", { admin: true })).status).toBe(422);
  });
});

describe("symbols", () => {
  const symbol = {
    symbol: "IT40",
    calendar: "metal",
    digits: "1",
    cost_kind: "absolute",
    cost_value: "1.2",
    description: "German shares",
    aliases: "ger40.cash, DAX",
  };

  it("a symbol that arrives with data asks for a calendar until one is chosen", async () => {
    await ingest("models", [modelItem("IT40")]);
    expect(await listSymbolsWithGuessedCalendar(db())).toEqual(["IT40"]);
    const preview = await store(saveSymbol, {}, symbol);
    expect(preview.lines[0]).toContain("the calendar metal instead of fx");
    expect(await listSymbolsWithGuessedCalendar(db())).toEqual([]);
    expect(await auditOf("symbol.change")).toMatchObject([
      {
        target: "symbol/IT40",
        details: { before: { isGuessed: true }, after: { isGuessed: false, aliases: ["GER40.CASH", "DAX"] } },
      },
    ]);
  });

  it("a symbol is matched by its configured aliases", async () => {
    const { key } = await makeKey({ plan_tier: "basic" });
    const report = { ticket: 71, symbol: "Dax", timeframe: "H1", signal: "BUY" };
    expect((await call("POST", "/api/executions", { key, body: report })).status).toBe(201);
    const shown = await call("GET", "/api/account/executions", { key });
    expect(shown.json.executions[0].symbol).toBe("IT40");
    expect(await send(saveSymbol, {}, { ...symbol, symbol: "EURUSD", aliases: "DAX" })).toMatchObject({
      kind: "form",
      errors: { aliases: "DAX means another symbol already" },
    });
  });
});

describe("products", () => {
  const product = {
    adapter: "stripe",
    external_id: "price_1",
    plan_tier: "pro",
    period_days: "30",
    grace_days: "2",
    trial_days: "",
  };

  it("products are added, changed and removed after a preview of who paid for them", async () => {
    await store(saveProduct, {}, product);
    const { keyId } = await makeKey({ plan_tier: "pro" });
    await db().execute(sql`
      insert into invoices (invoice_id, state, adapter, product_id, subscription_id)
      select 'i2', 'paid', 'stripe', 'price_1', subscription_id from api_keys where id = ${keyId}`);
    const changed = await store(saveProduct, {}, { ...product, plan_tier: "basic" });
    expect(changed.lines).toEqual([
      "New payments buy basic instead of pro. Days that were paid before stay days of pro.",
      "1 subscriber with access paid for this product last.",
    ]);
    const removed = await store(removeProduct, {}, { adapter: "stripe", external_id: "price_1" });
    expect(removed.lines[0]).toMatch(/^1 subscriber with access paid/);
    expect(await auditOf("product.remove")).toMatchObject([
      {
        target: "product/stripe/price_1",
        details: { before: { planTier: "basic", periodDays: 30 }, after: null },
      },
    ]);
  });

  it.each(["owner", "gold"])("a product cannot buy the plan %s", async (plan_tier) => {
    expect(await send(saveProduct, {}, { ...product, plan_tier })).toMatchObject({
      kind: "form",
      errors: { plan_tier: expect.anything() },
    });
  });
});
