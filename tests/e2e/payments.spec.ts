import { createHmac, randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import PostalMime from "postal-mime";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { serviceOf } from "@/tests/e2e/service";
import {
  type DeliveryBody,
  FIXTURES,
  PLATFORMS,
  type Platform,
  platformBytes,
  platformSignature,
  type Sale,
} from "@/tests/support/platform-fixtures";
import { sentMails } from "@/tests/support/sent-mail";
import { expectAccessible, test } from "./accessible";
import { openAdministration } from "./admin-session";
import { doneNotice } from "./notices";
import { openPortal } from "./portal-support";

const INSTALLATION = serviceOf("operator");
const { baseUrl: BASE, dataDir: DATA_DIR } = INSTALLATION;

/** A new product for each retry, which repeats the setup. */
const PRODUCT = `sold-${randomUUID().slice(0, 8)}`;
const DAY_MS = 86_400_000;

/** Sends signed events of a platform. Returns the first answer whose action is not "ignored", else the last one. */
async function deliverAs(page: Page, platform: Platform, bodies: readonly DeliveryBody[]) {
  const answers: Record<string, unknown>[] = [];
  for (const body of bodies) {
    const bytes = platformBytes(platform, body);
    const { headers, query } = platformSignature(platform, bytes);
    const url = `${BASE}/webhooks/payments/${platform}${query}`;
    const answer = await page.request.post(url, { data: bytes, headers });
    expect(answer.status(), await answer.text()).toBe(200);
    answers.push(await answer.json());
  }
  return answers.find(({ action }) => action !== "ignored") ?? answers.at(-1);
}

async function deliverGeneric(page: Page, event: string, invoice: Record<string, unknown>) {
  const body = JSON.stringify({ event, data: invoice });
  const answer = await page.request.post(`${BASE}/webhooks/payments/generic`, {
    data: body,
    headers: {
      "x-signature": createHmac("sha256", "e2e-webhook-secret").update(body).digest("hex"),
      "Content-Type": "application/json",
    },
  });
  expect(answer.status(), await answer.text()).toBe(200);
  return answer.json();
}

const invoiceOf = (id: string, email: string, paidAt = new Date()) => ({
  id,
  status: "paid",
  currency: "EUR",
  items: [{ productId: PRODUCT, name: "Signals", quantity: 1, amount: 49.9 }],
  buyer: { name: "Mary Somerville", email },
  paid_at: paidAt.toISOString(),
});

const buyer = (name: string) => `${name}-${randomUUID().slice(0, 8)}@buyers.example`;

/** The key in the mail to an address. */
async function mailedKey(email: string): Promise<string> {
  const find = async () => {
    for (const { source } of sentMails(DATA_DIR)) {
      const mail = await PostalMime.parse(source);
      if (!mail.to?.some(({ address }) => address === email)) continue;
      const [key] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(mail.text ?? "") ?? [];
      if (key !== undefined) return key;
    }
    return "";
  };
  await expect.poll(find, { timeout: 20_000 }).not.toBe("");
  return find();
}

/** The answer code of a trading client's poll with a key. */
async function codeOf(page: Page, key: string): Promise<string> {
  const answer = await page.request.get(`${BASE}/api/scan`, { headers: { "X-API-Key": key } });
  return answer.status() === 200 ? "ok" : (await answer.json()).code;
}

const titleOf = (adapter: "generic" | (typeof PLATFORMS)[number]) =>
  adapter === "generic" ? "Generic" : adapterOf(adapter).title;

test("each platform's payment creates a key, and late payments and won chargebacks keep the same key", async ({
  browser,
  page,
}) => {
  test.setTimeout(180_000);
  await openAdministration(page, INSTALLATION, "/admin/settings/products");
  for (const adapter of ["generic", ...PLATFORMS] as const) {
    await page.getByLabel("Platform", { exact: true }).selectOption(adapter);
    await page.getByLabel("Id of the product").fill(PRODUCT);
    await page.getByLabel("Plan").selectOption("pro");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("button", { name: /^Store it/ }).click();
    await expect(page.getByText("Saved. It applies")).toBeVisible();
    await expect(
      page.getByRole("row", { name: new RegExp(`${PRODUCT} ${titleOf(adapter)} pro`, "i") }),
    ).toBeVisible();
  }

  await test.step("a payment on each platform creates a key with the product's plan", async () => {
    for (const platform of PLATFORMS) {
      const answer = await deliverAs(page, platform, FIXTURES[platform].paid(saleTo(buyer(platform))));
      expect(answer, platform).toMatchObject({ action: "api_key_created", plan: "pro" });
    }
    await deliverGeneric(page, "payment.invoice_paid", invoiceOf(`g-${randomUUID()}`, buyer("generic")));
    await page.goto(`${BASE}/admin/payments?effect=api_key_created`);
    for (const platform of PLATFORMS) {
      const row = page.getByRole("row", { name: new RegExp(adapterOf(platform).title) }).first();
      await expect(row).toContainText("Key created");
      await expect(row).toContainText("pro");
      await expect(row).not.toContainText("unmapped product");
    }
    await page.getByRole("row").nth(1).getByRole("link").first().click();
    await expect(page.getByText(PRODUCT, { exact: true })).toBeVisible();
    await expect(page.getByText("Generic", { exact: true })).toBeVisible();
    await page.goto(`${BASE}/admin/payments/platforms`);
    for (const path of ["payment", ...PLATFORMS.map((platform) => `payments/${platform}`)])
      await expect(page.getByText(`${BASE}/webhooks/${path}`, { exact: true })).toBeVisible();
    await expect(page.getByText("Last deliveries")).toHaveCount(6);
    await expectAccessible(page);
  });

  await test.step("a late payment reactivates the same key, and the portal lists both payments", async () => {
    const email = buyer("late");
    const longAgo = new Date(Date.now() - 60 * DAY_MS);
    const first = await deliverGeneric(
      page,
      "payment.invoice_paid",
      invoiceOf(`l1-${email}`, email, longAgo),
    );
    const key = await mailedKey(email);
    expect(await codeOf(page, key)).toBe("key_expired");
    const second = await deliverGeneric(page, "payment.invoice_paid", invoiceOf(`l2-${email}`, email));
    expect(second).toMatchObject({ action: "already_provisioned", key_id: first.key_id });
    await expect.poll(() => codeOf(page, key)).toBe("ok");

    const own = await browser.newContext();
    const portal = await own.newPage();
    await openPortal(portal, key, "/portal/payments");
    await expect(portal.getByRole("row", { name: /49\.90 EUR.*Opened access again/ })).toHaveCount(1);
    await expect(portal.getByRole("row", { name: /49\.90 EUR.*Opened access(?! again)/ })).toHaveCount(1);
    await own.close();
  });

  await test.step("a won chargeback reported by the platform reactivates the same key", async () => {
    const sale = saleTo(buyer("disputed"));
    await deliverAs(page, "stripe", FIXTURES.stripe.paid(sale));
    const key = await mailedKey(sale.email);
    const lost = await deliverAs(page, "stripe", FIXTURES.stripe.chargeback(sale) ?? []);
    expect(lost).toMatchObject({ action: "access_revoked", keys_revoked: 1 });
    await expect.poll(() => codeOf(page, key)).toBe("key_revoked");
    await deliverAs(page, "stripe", FIXTURES.stripe.chargebackWon(sale) ?? []);
    await expect.poll(() => codeOf(page, key)).toBe("ok");
  });

  await test.step("an administrator marks a chargeback as won, which reactivates the same key", async () => {
    const email = buyer("won");
    const invoice = invoiceOf(`w-${randomUUID()}`, email);
    await deliverGeneric(page, "payment.invoice_paid", invoice);
    const key = await mailedKey(email);
    await deliverGeneric(page, "payment.invoice_chargeback", { ...invoice, status: "charged_back" });
    await expect.poll(() => codeOf(page, key)).toBe("key_revoked");
    await page.goto(`${BASE}/admin/payments?effect=access_revoked&q=${invoice.id}`);
    await page.getByRole("table").getByRole("link").first().click();
    await expect(page.getByRole("button", { name: "Mark as won" })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Mark as won" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reinstate the same key" }).click();
    await expect(doneNotice(page)).toBeVisible();
    await expect.poll(() => codeOf(page, key)).toBe("ok");
    await page.getByRole("link", { name: "Mary Somerville" }).first().click();
    await expect(page.getByText(/chargeback.* won/)).toBeVisible();
  });
});

function saleTo(email: string): Sale {
  return {
    payment: String(Math.floor(Math.random() * 1e9)),
    subscription: String(Math.floor(Math.random() * 1e9)),
    first: true,
    product: PRODUCT,
    email,
    amount: 49.9,
    paidAt: new Date(Math.floor(Date.now() / 1000) * 1000),
  };
}
