import { describe, expect, it } from "vitest";
import { computePlanChangePreview } from "@/lib/access/change-plan";
import { settingsCache } from "@/lib/runtime/settings-cache";

const pro = settingsCache().now.plans.find(({ name }) => name === "pro")!;
const linesOf = (change: Partial<typeof pro>) =>
  computePlanChangePreview(pro, { ...pro, ...change }, [], []).lines;

describe("the preview of a plan's change", () => {
  it("the preview of a plan change names a new price, a new shop and the end of the offer", () => {
    expect(
      linesOf({ priceText: "129 EUR a month", shopUrl: "https://shop.example/pro", isShown: false }),
    ).toEqual([
      "The site would no longer offer it.",
      "The site would show the price 129 EUR a month.",
      "Its button would lead to https://shop.example/pro.",
      "No subscriber has this plan.",
    ]);
  });

  it("the preview of a plan change does not mention the site when only the rate limit changes", () => {
    expect(linesOf({ rateLimitPerMin: 20 })).toEqual([
      "It would allow 20 requests a minute.",
      "No subscriber has this plan.",
    ]);
  });

  it("the preview of a plan change names a changed title, audience, Telegram feature and symbols", () => {
    expect(linesOf({ title: "Professional", forWhom: "", telegram: false, symbols: ["EURUSD"] })).toEqual([
      "Its title would be Professional.",
      "The site would not say whom it is for.",
      "It would include only these symbols: EURUSD.",
      "No slot has the symbol EURUSD yet: check its spelling.",
      "It would no longer include signals in Telegram and Discord.",
      "No subscriber has this plan.",
    ]);
  });

  it("the preview of a plan change names added, removed and unknown symbols and timeframes", () => {
    const before = { ...pro, symbols: ["EURUSD", "GBPUSD"], timeframes: ["H1" as const] };
    const after = { ...before, symbols: ["EURUSD", "EURUSDX"], timeframes: null };
    const slots = [{ symbol: "EURUSD", timeframe: "H1" as const }];
    expect(computePlanChangePreview(before, after, [], slots).lines).toEqual([
      "Added symbols: EURUSDX.",
      "Removed symbols: GBPUSD.",
      "It would include all timeframes.",
      "No slot has the symbol EURUSDX yet: check its spelling.",
      "No subscriber has this plan.",
    ]);
  });

  const held = {
    n: 1,
    nPaid: 1,
    nEndpoints: 0,
    nChats: 1,
    nChannels: 2,
    plans: null,
    symbolsAllowed: null,
    tfsAllowed: null,
    rateLimitPerMin: null,
  };

  it("the preview of a plan change names a new feature and the number of subscribers with the plan", () => {
    expect(computePlanChangePreview({ ...pro, telegram: false }, pro, [held], []).lines).toEqual([
      "It would include signals in Telegram and Discord.",
      "1 subscriber (1 of them paid) has this plan.",
    ]);
  });

  it("the preview of a plan without Telegram and Discord counts the chats and channels that stop", () => {
    expect(computePlanChangePreview(pro, { ...pro, telegram: false }, [held], []).lines).toEqual([
      "1 Telegram chat and 2 Discord channels would stop receiving signals.",
      "1 subscriber (1 of them paid) has this plan.",
    ]);
  });
});
