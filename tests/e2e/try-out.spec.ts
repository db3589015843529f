import { expect, type Page } from "@playwright/test";
import PostalMime from "postal-mime";
import { service } from "@/tests/e2e/service";
import { sentMails } from "@/tests/support/sent-mail";
import { expectAccessible } from "./accessible";
import { sendAdminSecret } from "./admin-session";
import { baseUrl, callScan, issueKey, test } from "./portal-support";

const EMAIL = `try-out-${Date.now()}@example.com`;

/** Turns the setting on or off through its form. */
async function offerTryOuts(admin: Page, isOn: boolean): Promise<void> {
  await admin.goto(`${baseUrl()}/admin/settings/access`);
  const form = admin.locator("form", { has: admin.getByLabel("Offer try-out keys") });
  const box = form.getByLabel("Offer try-out keys");
  if ((await box.isChecked()) === isOn) return;
  await box.setChecked(isOn);
  await form.getByRole("button", { name: "Preview" }).click();
  await admin.getByRole("button", { name: /^Store it/ }).click();
  await expect(admin.getByText("Saved. It applies")).toBeVisible();
}

/** Waits for the first match of a pattern in a mail to the visitor. */
async function mailed(pattern: RegExp): Promise<string> {
  let found = "";
  const find = async () => {
    for (const { source } of sentMails(service().dataDir)) {
      const mail = await PostalMime.parse(source);
      if (mail.to?.some(({ address }) => address === EMAIL))
        found ||= pattern.exec(mail.text ?? "")?.[0] ?? "";
    }
    return found;
  };
  await expect.poll(find, { timeout: 20_000 }).not.toBe("");
  return found;
}

const scan = async (key: string) => {
  const response = await fetch(`${baseUrl()}/api/scan`, { headers: { "X-API-Key": key } });
  const { items } = (await response.json()) as { items: { ts: string; timeframe: string }[] };
  return { delay: response.headers.get("x-signals-delayed"), items };
};

test("a visitor gets a delayed key from the home page, and the operator ends the delay and the try-out", async ({
  strictPage: page,
  browser,
}) => {
  // A journey over many pages, with mails in between.
  test.setTimeout(180_000);
  const admin = await browser.newPage();
  await sendAdminSecret(admin.request, service());
  await offerTryOuts(admin, true);

  // The home page is cached for a few seconds.
  const section = page.locator("#try-out");
  await expect(async () => {
    await page.goto(baseUrl());
    await expect(section).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 30_000 });
  await section.getByLabel("E-mail").fill(EMAIL);
  await section.getByRole("button", { name: "Send the link" }).click();
  await expect(page).toHaveURL(/said=sent$/);
  await page.goto(await mailed(/https?:\/\/\S+\/login\/try-out\?\S+/));
  await expectAccessible(page);
  await page.getByRole("button", { name: "Get my key" }).click();
  await expect(page).toHaveURL(/said=mailed$/);

  const key = await mailed(/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/);
  const delayed = await scan(key);
  expect(delayed.delay).toBe("3");
  const hourly = delayed.items.filter(({ timeframe }) => timeframe === "H1");
  expect(hourly.length).toBeGreaterThan(0);
  // The candle's own hour, and three candles of delay.
  for (const { ts } of hourly) expect(Date.now() - Date.parse(ts)).toBeGreaterThanOrEqual(4 * 3_600_000);

  await admin.goto(`${baseUrl()}/admin/subscribers?try_out=yes`);
  const row = admin.getByRole("row").filter({ hasText: EMAIL });
  await expect(row).toContainText("Try-out, 3 candles late");
  await row.getByRole("link", { name: "Visitor" }).click();
  await expect(admin.getByText("Try-out: signals arrive 3 candles late")).toBeVisible();
  await expectAccessible(admin);
  await admin.getByRole("button", { name: "End try-out" }).click();
  await admin.getByRole("button", { name: "End the try-out" }).click();
  await expect(admin.getByText("The try-out has ended.")).toBeVisible();
  await expect(admin.getByRole("button", { name: "End try-out" })).toHaveCount(0);
  expect(await callScan(key)).toBe(401);

  await admin.getByRole("button", { name: "+ 31 days" }).click();
  expect((await scan(key)).delay).toBe("3");
  await admin.getByRole("button", { name: "Make it a full key" }).click();
  await expect(admin.getByText("The key is a full key now.")).toBeVisible();
  await expect(admin.getByText("Try-out: signals arrive")).toHaveCount(0);
  const { key: paid } = await issueKey({ plan_tier: "basic" });
  await expect(async () => expect(await scan(key)).toEqual(await scan(paid))).toPass({ timeout: 10_000 });
  expect((await scan(key)).delay).toBeNull();

  await offerTryOuts(admin, false);
  await admin.close();
  await expect(async () => {
    await page.goto(baseUrl());
    await expect(section).toHaveCount(0, { timeout: 500 });
  }).toPass({ timeout: 30_000 });
});
