import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { hasOwner } from "@/db/queries/setup-progress";
import { readSetup } from "@/lib/admin/setup/read-setup";
import { type InstallationFacts, setupSteps } from "@/lib/admin/setup/steps";
import { useDatabase } from "@/tests/support/database";

useDatabase({ MARKET_FEED: "off" });

const done: InstallationFacts = {
  hasOwner: true,
  hasAlerts: true,
  mailLeftBy: "smtp",
  transport: "smtp",
  texts: ["terms", "privacy", "imprint"],
  platforms: ["stripe"],
  configuredPlatforms: ["stripe"],
  brandName: "Kestrel",
  plans: [{ isShown: true, priceText: "29 USD", shopUrl: null, telegram: true }],
  hasBot: true,
  shopUrl: "https://shop.example",
  slots: [{ active: true, lastSignalTs: new Date() }],
  guessedSymbols: [],
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
    ["texts", { texts: ["terms", "privacy"] }],
    ["plans", { plans: [{ isShown: true, priceText: null, shopUrl: null, telegram: true }] }],
    ["plans", { shopUrl: null }],
    ["plans", { plans: [] }],
    ["telegram", { hasBot: false }],
    ["platform", { configuredPlatforms: [] }],
    ["platform", { platforms: ["paddle"] }],
    ["symbols", { guessedSymbols: ["GER40"] }],
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
