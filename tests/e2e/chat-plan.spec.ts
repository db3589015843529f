import { expect } from "@playwright/test";
import { baseUrl, callScan, issueKey, openPortal, test } from "./portal-support";

test("a subscriber of a chat plan sees no instructions for an EA on the overview, signals and key pages", async ({
  strictPage: page,
}) => {
  const { key } = await issueKey({ plan_tier: "telegram" });
  await openPortal(page, key);
  const main = page.getByRole("main");
  await expect(page.getByRole("region", { name: "Now", exact: true }).getByRole("heading")).toHaveText([
    "Signals in Telegram",
  ]);
  await expect(main).not.toContainText("your EA");

  await page.goto(`${baseUrl()}/portal/signals`);
  await expect(page.getByRole("heading", { level: 1, name: "Signals" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Pause your EA" })).toHaveCount(0);

  await page.goto(`${baseUrl()}/portal/key`);
  await page.getByRole("button", { name: "Rotate key" }).click();
  const dialog = page.getByRole("dialog", { name: "Rotate your API key?" });
  await expect(dialog).toContainText("Telegram");
  await expect(dialog).not.toContainText("InpApiKey");
  await dialog.getByLabel("Type ROTATE to continue").fill("ROTATE");
  await dialog.getByRole("button", { name: "Rotate now" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Your new key" })).toBeVisible();
  await expect(main).not.toContainText("MetaTrader");
});

test("a paused slot cannot be chosen again in the pause form, and nothing can once everything is paused", async ({
  strictPage: page,
}) => {
  const { key } = await issueKey();
  expect(await callScan(key)).toBe(200);
  await openPortal(page, key, "/portal/signals");
  const card = page.locator("#own-pauses");
  const choice = card.getByLabel("Pause", { exact: true });
  await choice.selectOption("EURUSD/H1");
  await card.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(card.getByRole("listitem")).toHaveCount(1);
  await expect(choice.getByRole("option", { name: "EURUSD H1" })).toHaveCount(0);
  await choice.selectOption("");
  await card.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(card.getByRole("listitem")).toHaveCount(2);
  await expect(choice).toHaveCount(0);
});
