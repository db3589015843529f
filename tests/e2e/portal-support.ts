import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type APIRequestContext, expect, type Page } from "@playwright/test";
import PostalMime from "postal-mime";
import { normalizeEmail } from "@/lib/wire/email";
import { service } from "@/tests/e2e/service";
import { sentMails } from "@/tests/support/sent-mail";
import { test as base } from "./accessible";

export const baseUrl = () => service().baseUrl;

/** Addresses of the portal pages that need no object of the subscriber, some of them with a filter. */
export const PORTAL_PAGES = [
  "/portal",
  "/portal/signals",
  "/portal/signals?direction=BUY&min_confidence=0.99",
  "/portal/signals/history?no_trade=true",
  "/portal/signals/EURUSD/H1",
  "/portal/executions",
  "/portal/executions/list",
  "/portal/executions/list?outcome=win&symbol=EURUSD",
  "/portal/record",
  "/portal/record?days=7",
  "/portal/key",
  "/portal/delivery",
  "/portal/payments",
  "/portal/setup",
  "/portal/settings",
  "/login/subscriptions",
] as const;

/** `strictPage` is a page on which every console error fails the test, refused styles and scripts included. */
export const test = base.extend<{ strictPage: Page }>({
  strictPage: async ({ page }, use) => {
    const errors = watchErrors(page);
    await use(page);
    expect(errors, "the console stays clean").toEqual([]);
  },
});

export function watchErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${page.url()}: ${message.text()}`);
  });
  return errors;
}

export interface IssuedKey {
  keyId: number;
  key: string;
}

/** Creates a subscription with its key as administrator, repeating on 503. */
export async function issueKey(wish: Record<string, unknown> = {}): Promise<IssuedKey> {
  for (let triesLeft = 5; ; triesLeft--) {
    const response = await fetch(`${baseUrl()}/admin/keys`, {
      method: "POST",
      headers: { "X-Admin-Secret": service().adminSecret },
      body: JSON.stringify({ user_name: "Ada Trader", plan_tier: "pro", ...wish }),
    });
    const made = await response.json();
    if (response.status === 201) return { keyId: made.key_id, key: made.api_key };
    // An earlier test may have stopped the database.
    if (response.status !== 503 || triesLeft === 0) throw new Error(JSON.stringify(made));
    await pause(1_000 * Number(response.headers.get("retry-after") ?? 1));
  }
}

export async function revokeKey(keyId: number): Promise<void> {
  await fetch(`${baseUrl()}/admin/keys/${keyId}`, {
    method: "DELETE",
    headers: { "X-Admin-Secret": service().adminSecret },
  });
}

/** Delivers a monthly payment of 49.90 EUR for Pro, as the payment platform does. */
export async function deliverPayment(email: string, invoiceId: string): Promise<void> {
  const body = JSON.stringify({
    event: "payment.invoice_paid",
    data: {
      id: invoiceId,
      status: "paid",
      currency: "EUR",
      items: [{ productId: "3031367", name: "Signals", quantity: 1, amount: 49.9 }],
      buyer: { name: "Ada Trader", email },
      paid_at: new Date().toISOString(),
    },
  });
  const response = await fetch(`${baseUrl()}/webhooks/payment`, {
    method: "POST",
    headers: { "x-signature": createHmac("sha256", "e2e-webhook-secret").update(body).digest("hex") },
    body,
  });
  if (response.status !== 200) throw new Error(await response.text());
}

/** Requests /api/scan with a key. Returns the status. */
export async function callScan(key: string): Promise<number> {
  return (await fetch(`${baseUrl()}/api/scan`, { headers: { "X-API-Key": key } })).status;
}

/** Waits for the `nth` sign-in mail to an address in the local outbox and returns its link. */
export async function mailedLink(email: string, nth = 1): Promise<string> {
  let link = "";
  // Each try parses the whole outbox.
  await expect
    .poll(
      async () => {
        link = (await linksTo(email))[nth - 1] ?? "";
        return link;
      },
      { timeout: 20_000 },
    )
    .not.toBe("");
  return link;
}

async function linksTo(email: string): Promise<string[]> {
  const links: string[] = [];
  for (const { source } of sentMails(service().dataDir)) {
    const mail = await PostalMime.parse(source);
    if (!mail.to?.some(({ address }) => isSameAddress(address ?? "", email))) continue;
    const found = /https?:\/\/\S+\/login\/confirm\?\S+/.exec(mail.text ?? "");
    if (found) links.push(found[0]);
  }
  return links;
}

/** Whether a mail is addressed to an address; two dots in a row are quoted in mails. */
const isSameAddress = (recipient: string, email: string): boolean =>
  normalizeEmail(recipient.replace(/^"(.*)"@/, "$1@")) === normalizeEmail(email);

/** Signs in with a key through the form. */
export async function signInByKey(page: Page, key: string): Promise<void> {
  await page.goto(`${baseUrl()}/login`);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in with the key" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
}

/** Signs in with a key by the request that the form sends. Pages of the same browser context are then signed in. */
export async function sendKey(request: APIRequestContext, key: string): Promise<void> {
  const answer = await request.post(`${baseUrl()}/login/by-key`, {
    form: { api_key: key },
    headers: { Origin: baseUrl() },
    maxRedirects: 0,
  });
  expect([answer.status(), answer.headers().location]).toEqual([303, "/portal"]);
}

/** Signs in with a key, without the sign-in page, and opens a page of the portal. */
export async function openPortal(page: Page, key: string, path = "/portal"): Promise<void> {
  await sendKey(page.request, key);
  await page.goto(baseUrl() + path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

/** Presses Tab until the control with this accessible name has the focus. */
export async function tabTo(page: Page, name: string | RegExp, max = 60): Promise<void> {
  for (let i = 0; i < max; i++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement)) return "";
      const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
      return (
        element.getAttribute("aria-label") ??
        (labels.map((label) => label.textContent).join(" ") || element.textContent || "")
      ).trim();
    });
    if (typeof name === "string" ? focused === name : name.test(focused)) return;
  }
  throw new Error(`no way to ${name} with the keyboard`);
}
