import { expect, type Page } from "@playwright/test";
import { service } from "@/tests/e2e/service";
import { startDiscord } from "@/tests/support/discord-double";
import { type ReceivedRequest, startWebhookReceiver, type WebhookReceiver } from "@/tests/support/receiver";
import { waitUntil } from "@/tests/support/server";
import { sendAdminSecret } from "./admin-session";
import { doneNotice } from "./notices";
import { baseUrl, issueKey, openPortal, sendKey, test } from "./portal-support";

let receiver: WebhookReceiver;
test.beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
test.afterEach(() => receiver.close());

/** Creates an endpoint through the form, ending on its page. */
async function makeEndpoint(page: Page): Promise<void> {
  await page.goto(`${baseUrl()}/portal/delivery`);
  await page.getByLabel("Address").fill(receiver.url);
  await page.getByRole("button", { name: "Add endpoint" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "The endpoint is ready" })).toBeVisible();
  await page.getByLabel("I have saved it").check();
  await page.getByRole("link", { name: "Done" }).click();
  await expect(page.getByRole("heading", { level: 1, name: new URL(receiver.url).host })).toBeVisible();
}

/** Test messages that the endpoint received, without the events of the simulated market. */
const tests = () => receiver.received.filter(({ body }) => JSON.parse(body).type === "endpoint.test");

async function arrived(n: number): Promise<ReceivedRequest> {
  await waitUntil(async () => tests().length >= n, 20_000);
  const found = tests()[n - 1];
  if (!found) throw new Error("nothing arrived");
  return found;
}

test("a webhook address on a private network is refused and kept in the form", async ({
  strictPage: page,
}) => {
  const { key } = await issueKey();
  await openPortal(page, key, "/portal/delivery");
  await page.getByLabel("Address").fill("https://169.254.169.254/latest");
  await page.getByRole("button", { name: "Add endpoint" }).click();
  await expect(page.getByLabel("Address")).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByLabel("Address")).toHaveValue("https://169.254.169.254/latest");
});

test("a Telegram chat can be linked from the portal and unlinked", async ({ strictPage: page }) => {
  const { key } = await issueKey();
  await openPortal(page, key, "/portal/delivery");
  await expect(page.getByRole("button", { name: "Link Telegram" })).toBeVisible();
  await page.getByRole("button", { name: "Link Telegram" }).click();
  const href = await page.getByRole("link", { name: "Open Telegram" }).getAttribute("href");
  const link = new URL(href ?? "");
  expect(link.origin + link.pathname).toBe("https://t.me/signals_test_bot");
  await page.reload();
  await expect(page.getByRole("link", { name: "Open Telegram" })).toHaveCount(0);

  const chatId = 100_000 + (Date.now() % 1_000_000);
  const text = `/start ${link.searchParams.get("start")}`;
  await fetch(`${service().telegramRoot}/say`, { method: "POST", body: JSON.stringify({ chatId, text }) });
  await expect(async () => {
    await page.reload();
    await expect(page.getByText(`@person${chatId}`)).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 30_000 });

  await page.getByRole("button", { name: "Unlink" }).click();
  await page
    .getByRole("dialog", { name: "Unlink this chat?" })
    .getByRole("button", { name: "Unlink" })
    .click();
  await expect(page.getByRole("button", { name: "Link Telegram" })).toBeVisible();
});

test("a Discord channel can be saved, tested and removed", async ({ strictPage: page }) => {
  const discord = await startDiscord();
  const url = discord.webhook();
  const { key } = await issueKey();
  await openPortal(page, key, "/portal/delivery");
  await page.getByLabel("Webhook URL").fill("https://example.com/api/webhooks/1/x");
  await page.getByRole("button", { name: "Save Discord" }).click();
  await expect(page.getByLabel("Webhook URL")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Webhook URL").fill(url);
  await expect(page.getByLabel("Quiet hours from")).toHaveAccessibleDescription(/Time zone: UTC/);
  for (const end of ["from", "until"]) await page.getByLabel(`Quiet hours ${end}`).selectOption("22:00");
  await page.getByRole("button", { name: "Save Discord" }).click();
  await expect(page.getByText("Must differ from the first hour.")).toBeVisible();
  await page.getByLabel("Quiet hours until").selectOption("6:00");
  await page.getByRole("button", { name: "Save Discord" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await page.getByRole("button", { name: "Send a test to Discord" }).click();
  await waitUntil(
    async () => discord.sentTo(url).some(({ embeds }) => embeds?.some(({ title }) => title === "Test")),
    20_000,
  );
  await page.getByRole("button", { name: "Remove Discord" }).click();
  await page.getByRole("dialog", { name: "Remove Discord?" }).getByRole("button", { name: "Remove" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await discord.close();
});

test("an administrator sees a successful delivery and sends it again", async ({
  browser,
  strictPage: page,
}) => {
  const userName = `Receiver ${Date.now()}`;
  const { key } = await issueKey({ user_name: userName });
  await sendKey(page.request, key);
  await makeEndpoint(page);
  await page.getByRole("button", { name: "Send a test" }).click();
  const first = await arrived(1);

  const admin = await browser.newPage();
  await sendAdminSecret(admin.request, service());
  const row = admin.getByRole("row", { name: new RegExp(userName) }).filter({ hasText: "endpoint.test" });
  await expect(async () => {
    await admin.goto(`${baseUrl()}/admin/delivery?state=sent`);
    await expect(row).toContainText("Delivered", { timeout: 1_000 });
  }).toPass({ timeout: 20_000 });
  await row.getByRole("button", { name: "Send again" }).click();
  await expect(admin.getByRole("heading", { level: 1, name: "Delivery" })).toBeVisible();
  const second = await arrived(2);
  expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
  await admin.close();
});
