import { expect } from "@playwright/test";
import { alertNotice } from "./notices";
import {
  baseUrl,
  deliverPayment,
  issueKey,
  mailedLink,
  revokeKey,
  signInByKey,
  test,
} from "./portal-support";

test("a mailed sign-in link works once", async ({ strictPage: page }) => {
  const email = "link@example.test";
  await issueKey({ email });
  await page.goto(`${baseUrl()}/login`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Send me a link" }).click();
  await expect(page.getByRole("heading", { name: "Check your e-mail" })).toBeVisible();

  const link = await mailedLink(email);
  await page.goto(link);
  await page.reload();
  await expect(page.getByText("l••@example.test")).toBeVisible();
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Other subscriptions" })).toHaveCount(0);

  await page.goto(link);
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).first().click();
  await expect(page).toHaveURL(/[?&]notice=signed_out$/);
  await page.goto(link);
  await expect(page.getByRole("status").filter({ hasText: /used/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "Sign in" })).toHaveCount(0);
});

test("a sign-in link opens the page that was requested, even in another browser", async ({
  page,
  browser,
}) => {
  const email = "wanted@example.test";
  await issueKey({ email });
  await page.goto(`${baseUrl()}/portal/executions?days=90`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Send me a link" }).click();
  const other = await browser.newContext();
  const there = await other.newPage();
  await there.goto(await mailedLink(email));
  await there.getByRole("button", { name: "Sign in" }).click();
  await expect(there).toHaveURL(`${baseUrl()}/portal/executions?days=90`);
  await expect(there.getByRole("heading", { level: 1, name: "Positions" })).toBeVisible();
  await other.close();
});

test("an unknown e-mail address gets the same answer as a known one, and an invented link is refused", async ({
  strictPage: page,
}) => {
  await page.goto(`${baseUrl()}/login`);
  await page.getByLabel("E-mail").fill("nobody");
  await page.getByRole("button", { name: "Send me a link" }).click();
  await expect(page.getByLabel("E-mail"), "a mistake stays to be corrected").toHaveValue("nobody");
  await page.getByLabel("E-mail").fill("nobody@example.test");
  await page.getByRole("button", { name: "Send me a link" }).click();
  await expect(page.getByRole("heading", { name: "Check your e-mail" })).toBeVisible();
  await page.goto(`${baseUrl()}/login/confirm?token=made-up`);
  await expect(page.getByRole("status").filter({ hasText: /unknown/ })).toBeVisible();
});

test("a subscriber with two subscriptions chooses one at sign-in", async ({ strictPage: page }) => {
  const email = "two@example.test";
  await issueKey({ email, user_name: "First account" });
  await issueKey({ email, user_name: "Second account", plan_tier: "basic" });
  await page.goto(`${baseUrl()}/login`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.goto(await mailedLink(email));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /^Open Second account/ }).click();
  await expect(
    page
      .getByText(/Second account/)
      .filter({ visible: true })
      .first(),
  ).toBeVisible();
  await expect(page.getByText(/EURUSD, GBPUSD and XAUUSD on H1 and H4/).first()).toBeVisible();
  await expect(page.getByRole("link", { name: "Other subscriptions" })).toBeVisible();
});

test("a wrong key is refused with a message", async ({ strictPage: page }) => {
  await page.goto(`${baseUrl()}/login`);
  await page.getByLabel("API key").fill("00000000-0000-4000-8000-000000000000");
  await page.getByRole("button", { name: "Sign in with the key" }).click();
  await expect(alertNotice(page)).toBeVisible();
  await expect(page).toHaveURL(/\/login\?error=key_invalid$/);
});

test("revoking the key signs the subscriber out of an open page", async ({ page }) => {
  const { key, keyId } = await issueKey();
  await signInByKey(page, key);
  await revokeKey(keyId);
  // An open stream checks its session every five seconds.
  await expect(page.getByRole("heading", { level: 1, name: "Your access has ended" })).toBeVisible({
    timeout: 15_000,
  });
  const response = await page.goto(`${baseUrl()}/portal`);
  expect(response?.url()).toBe(`${baseUrl()}/login/subscriptions`);
});

for (const [path, when] of [
  ["/portal/signals", "by itself"],
  ["/portal/settings", "when its tab is shown again"],
] as const)
  test(`${path}, whose session ended elsewhere, leads to sign-in ${when}, and back`, async ({
    page,
    context,
  }) => {
    const { key } = await issueKey();
    await signInByKey(page, key);
    await page.goto(`${baseUrl()}${path}`);
    const other = await context.newPage();
    await other.goto(`${baseUrl()}/portal`);
    await other.getByRole("button", { name: "Sign out" }).first().click();
    await expect(other).not.toHaveURL(`${baseUrl()}/portal`);
    // Both tabs of a headless browser are always visible.
    if (path === "/portal/settings")
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    // An open stream checks its session every five seconds.
    await expect(page).toHaveURL(`${baseUrl()}/login?next=${encodeURIComponent(path)}`, { timeout: 15_000 });
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in with the key" }).click();
    await expect(page).toHaveURL(`${baseUrl()}${path}`);
  });

test("without JavaScript, revoking the key signs the subscriber out at the next click", async ({
  browser,
}) => {
  const { key, keyId } = await issueKey();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await signInByKey(page, key);
  await revokeKey(keyId);
  await page.getByRole("link", { name: "Signals" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Your access has ended" })).toBeVisible();
  await context.close();
});

test("signing in works without JavaScript", async ({ browser }) => {
  const { key } = await issueKey();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await signInByKey(page, key);
  await page.getByRole("button", { name: "Broker" }).click();
  await expect(page.getByRole("button", { name: "Broker" })).toHaveAttribute("aria-pressed", "true");
  await context.close();
});

/**
 * Valid addresses that forms often refuse, as delivered by a payment platform and as typed by their owners. Sign-in
 * links are limited per network and hour, so unit tests cover more addresses.
 */
const ODD_ADDRESSES: readonly (readonly [paid: string, typed: string])[] = [
  ["#odd@example.test", "#odd@example.test"],
  ["odd..x@example.test", "Odd..X@Example.test"],
  ["odd@münchen.example", "odd@xn--mnchen-3ya.example"],
  ["other@xn--mnchen-3ya.example", "Other@MÜNCHEN.example"],
  ["od\u200bd-zero@example.test\u2060", "\ufeffodd-zero@exam\u00adple.test "],
];
for (const [paid, typed] of ODD_ADDRESSES)
  test(`a buyer signs in as ${JSON.stringify(typed)} after paying as ${JSON.stringify(paid)}`, async ({
    strictPage: page,
  }) => {
    await deliverPayment(paid, `odd-${ODD_ADDRESSES.findIndex(([each]) => each === paid)}`);
    await page.goto(`${baseUrl()}/login`);
    await page.getByLabel("E-mail").fill(typed);
    await page.getByRole("button", { name: "Send me a link" }).click();
    await expect(page.getByRole("heading", { name: "Check your e-mail" })).toBeVisible();
    await page.goto(await mailedLink(typed));
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    await page.goto(`${baseUrl()}/portal/payments`);
    await expect(page.getByText("49.90 EUR").first()).toBeVisible();
  });
