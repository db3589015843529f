import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { hasOwner } from "@/db/queries/setup-progress";
import { readSetup } from "@/lib/admin/setup/read-setup";
import { type InstallationFacts, setupSteps } from "@/lib/admin/setup/steps";
import { SITE_TEXTS } from "@/lib/vocabulary";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase({ MARKET_FEED: "off", BASE_URL: "http://localhost:3000" });

const done: InstallationFacts = {
  hasOwner: true,
  hasAlerts: true,
  mailLeftBy: "smtp",
  transport: "smtp",
  baseUrl: "https://signals.example",
  texts: [...SITE_TEXTS],
  platforms: ["stripe"],
  configuredPlatforms: ["stripe"],
  brandName: "Kestrel",
  plans: [{ isShown: true, priceText: "29 USD", shopUrl: null, telegram: true }],
  hasBot: true,
  shopUrl: "https://shop.example",
  slots: [{ active: true, lastSignalTs: new Date() }],
  guessedSymbols: [],
  costlessSymbols: [],
  backup: { hours: 2, isLate: false },
};
const open = (change: Partial<InstallationFacts>) =>
  setupSteps({ ...done, ...change }).flatMap(({ id, isDone }) => (isDone ? [] : [id]));

describe("the setup checklist", () => {
  it("the setup checklist has every step open with a link on a fresh installation", async () => {
    const { steps, isHidden } = await readSetup(new Date(), []);
    expect(steps.filter(({ isDone }) => isDone).map(({ id }) => id)).toEqual([]);
    expect(isHidden).toBe(false);
    for (const { href } of steps) expect(href).toMatch(/^\/admin\//);
    expect(await hasOwner(db())).toBe(false);
  });

  it("the setup checklist is complete for a finished installation", () => {
    expect(open({})).toEqual([]);
  });

  it("the setup checklist needs no Telegram bot when no plan on the site includes Telegram", () => {
    const plans = [
      { isShown: true, priceText: "29 USD", shopUrl: null, telegram: false },
      { isShown: false, priceText: null, shopUrl: null, telegram: true },
    ];
    expect(open({ plans, hasBot: false })).toEqual([]);
    const titles = setupSteps({ ...done, plans, hasBot: false }).map(({ title }) => title);
    expect(titles).toContain("Telegram is in no plan on the site");
  });

  it("the setup step for legal texts names those that are still templates", () => {
    const texts = ["terms", "privacy", "imprint"];
    const step = setupSteps({ ...done, texts }).find(({ id }) => id === "texts");
    expect(step?.text).toContain("site: Risk, Hypothetical performance. To use a template as it is,");
  });

  it("the setup step for symbols is open with the symbols of slots that have no round-trip cost", async () => {
    const sql = connectDirectly();
    await sql`insert into symbols (symbol, calendar, digits) values ('DOGEEUR', 'crypto', 2), ('NOSLOT', 'fx', 5)`;
    await sql`insert into slots (symbol, timeframe) values ('DOGEEUR', 'M5')`;
    await sql.end();
    const { steps } = await readSetup(new Date(), []);
    expect(steps.find(({ id }) => id === "symbols")).toMatchObject({
      isDone: false,
      text: "1 symbol with the default round-trip cost of 0: DOGEEUR.",
    });
  });

  it("the setup step for alerts asks for a sign-in only until a person has signed in", () => {
    const text = (hasOwner: boolean) =>
      setupSteps({ ...done, hasOwner }).find(({ id }) => id === "alerts")?.text;
    expect(text(false)).toContain("Sign in as a person first.");
    expect(text(true)).not.toContain("Sign in as a person first.");
  });

  it.each([
    ["owner", { hasOwner: false }],
    ["mail", { transport: "outbox" }],
    ["mail", { mailLeftBy: "outbox" }],
    ["brand", { brandName: null }],
    ["address", { baseUrl: "http://localhost:3000" }],
    ["address", { baseUrl: "https://127.0.0.1" }],
    ["address", { baseUrl: "http://[::1]:3000" }],
    ["texts", { texts: ["terms", "privacy", "imprint"] }],
    ["plans", { plans: [{ isShown: true, priceText: null, shopUrl: null, telegram: true }] }],
    ["plans", { shopUrl: null }],
    ["plans", { plans: [] }],
    ["telegram", { hasBot: false }],
    ["platform", { configuredPlatforms: [] }],
    ["platform", { platforms: ["paddle"] }],
    ["symbols", { guessedSymbols: ["GER40"] }],
    ["symbols", { costlessSymbols: ["DOGEEUR"] }],
    ["signals", { slots: [{ active: true, lastSignalTs: null }] }],
    ["alerts", { hasAlerts: false }],
    ["backup", { backup: null }],
    ["backup", { backup: { hours: null, isLate: false } }],
    ["backup", { backup: { hours: 90, isLate: true } }],
  ] satisfies [string, Partial<InstallationFacts>][])(
    "only the setup step %s is open with %j",
    (step, change) => {
      expect(open(change)).toEqual([step]);
    },
  );
});
