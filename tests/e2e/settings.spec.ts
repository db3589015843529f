import { expect, type Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { serviceOf } from "@/tests/e2e/service";
import { sentMails } from "@/tests/support/sent-mail";
import { expectAccessible, test } from "./accessible";
import { openAdministration, sendAdminSecret } from "./admin-session";
import { alertNotice, doneNotice } from "./notices";
import { invitePerson } from "./people";

const INSTALLATION = serviceOf("operator");
const { baseUrl: BASE, adminSecret: SECRET, dataDir: DATA_DIR } = INSTALLATION;

/** Previews the form and saves it. */
async function store(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Preview" }).first().click();
  await confirm(page);
}

/** Saves the previewed change. */
async function confirm(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Store it/ }).click();
  await expect(page.getByText("Saved. It applies")).toBeVisible();
}

test("an owner creates a plan and a product and assigns a trading calendar in the browser", async ({
  page,
}) => {
  await openAdministration(page, INSTALLATION, "/admin/settings/plans/new");
  await page.getByLabel("Name in the API").fill("desk");
  await page.getByLabel("Title").fill("Desk");
  await page.getByLabel("Rank").fill("260");
  await page.getByLabel("Symbols").fill("EURUSD");
  await page.getByLabel("Requests per minute").fill("45");
  await page.getByLabel("Price shown").fill("19 EUR a month");
  await store(page);
  await expect(page.getByRole("link", { name: "Desk" })).toBeVisible();

  const made = await page.request.post(`${BASE}/admin/keys`, {
    headers: { "X-Admin-Secret": SECRET },
    data: { user_name: "Desk user", plan_tier: "desk" },
  });
  const { api_key: key } = await made.json();
  const waited = await page.request.get(`${BASE}/api/scan?wait=1`, { headers: { "X-API-Key": key } });
  expect(waited.status()).toBe(200);
  const me = await page.request.get(`${BASE}/api/account/me`, { headers: { "X-API-Key": key } });
  expect(await me.json()).toMatchObject({ plan_tier: "desk", rate_limit_per_min: 45 });

  await page.goto(`${BASE}/admin/settings/plans/desk`);
  await page.getByLabel("Symbols").fill("NOSUCH");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(alertNotice(page)).toContainText("1 subscriber");
  await expectAccessible(page);

  await page.goto(`${BASE}/admin/settings/products`);
  await page.getByLabel("Id of the product").fill("desk-monthly");
  await page.getByLabel("Plan").selectOption("desk");
  await store(page);
  await expect(page.getByRole("link", { name: "desk-monthly" })).toBeVisible();
  await page.getByLabel("Id of the product").fill("desk-yearly");
  await page.getByLabel("Plan").selectOption("desk");
  await page.getByLabel("Days that a payment buys").fill("366");
  await store(page);
  await expect(page.getByRole("link", { name: "desk-yearly" })).toBeVisible();

  await page.request.post(`${BASE}/admin/ingest/candles`, {
    headers: { "X-Admin-Secret": SECRET },
    data: {
      items: [
        { symbol: "IT40", timeframe: "D1", ts: "2026-01-05T00:00:00Z", open: 1, high: 2, low: 1, close: 2 },
      ],
    },
  });
  await page.goto(`${BASE}/admin`);
  await expect(page.getByText("Trading hours unknown: IT40")).toBeVisible();
  await page.goto(`${BASE}/admin/settings/symbols?edit=IT40`);
  await page.getByLabel("Trading calendar").selectOption("de_index");
  await page.getByLabel("Description").fill("Italian shares");
  await store(page);
  await page.goto(`${BASE}/admin`);
  await expect(page.getByText("Trading hours unknown: IT40")).toHaveCount(0);
  await page.goto(`${BASE}/#plans`);
  await expect(page.getByText("19 EUR a month")).toBeVisible({ timeout: 10_000 });
});

test("an invited reader signs in with a second factor, cannot save settings, and appears in the audit log", async ({
  browser,
  page,
}) => {
  await openAdministration(page, INSTALLATION, "/admin/settings/people");
  await invitePerson(page, { name: "Ada Reader", email: "ada@people.example", role: "reader" });
  await expectAccessible(page);

  /** Undoes the soft line breaks and the encoded equals signs of quoted-printable text. */
  const written = (source: string) => source.replace(/=\r?\n/g, "").replaceAll("=3D", "=");
  const invited = () =>
    sentMails(DATA_DIR)
      .filter(({ source }) => source.includes("To: ada@people.example"))
      .map(({ source }) => /\/admin\/sign-in\/link\?token=[\w-]+/.exec(written(source))?.[0])
      .find((found) => found !== undefined);
  await expect.poll(invited, { timeout: 20_000 }).toBeDefined();

  const own = await browser.newContext({ viewport: { width: 360, height: 800 } });
  const reader = await own.newPage();
  await reader.goto(BASE + invited());
  await expect(reader.getByRole("img", { name: "The secret for your authenticator" })).toBeVisible();
  await expectAccessible(reader);
  const secret = (await reader.locator("p.font-mono").innerText()).replace(/\s/g, "");
  const code = new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: 30 });
  await reader.getByLabel("Code of your authenticator").fill("000000");
  await reader.getByRole("button", { name: "Accept and sign in" }).click();
  await expect(alertNotice(reader)).toBeVisible();
  await reader.getByLabel("Code of your authenticator").fill(code.generate());
  await reader.getByRole("button", { name: "Accept and sign in" }).click();
  await expect(reader.getByRole("heading", { name: "Your recovery codes" })).toBeVisible();

  for (const path of [
    "/admin/settings",
    "/admin/settings/plans",
    "/admin/settings/plans/basic",
    "/admin/settings/products",
    "/admin/settings/symbols",
    "/admin/settings/brand",
    "/admin/settings/texts",
    "/admin/settings/texts/terms",
    "/admin/settings/calendars?calendar=us_share",
    "/admin/settings/thresholds",
    "/admin/settings/access",
    "/admin/settings/service",
    "/admin/settings/transfer",
    "/admin/setup",
  ]) {
    await reader.goto(BASE + path);
    await expectAccessible(reader, path);
  }
  await reader.goto(`${BASE}/admin/settings/plans/basic`);
  await expect(reader.getByText(/\bowner\b.*\breader\b/)).toBeVisible();
  await expect(reader.getByRole("button", { name: "Preview" })).toBeDisabled();
  await expect(reader.getByLabel("Title")).toBeDisabled();
  await reader.goto(`${BASE}/admin/setup`);
  await expect(reader.getByRole("link", { name: /^Open: / }).first()).toBeVisible();
  await expect(reader.getByRole("link", { name: /^Start: / })).toHaveCount(0);
  await reader.goto(`${BASE}/admin/settings/people`);
  await expect(reader).toHaveURL(`${BASE}/admin?reason=role`);
  await expect(reader.getByText("Your role does not allow that")).toBeVisible();
  await expect(reader.getByRole("link", { name: "Subscribers" }).first()).toBeVisible();

  await page.goto(`${BASE}/admin/settings/people`);
  await page
    .getByRole("row", { name: /Ada Reader/ })
    .getByRole("button", { name: "New authenticator" })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Send the link" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await reader.goto(`${BASE}/admin`);
  await expect(reader).toHaveURL(/\/admin\/sign-in/);
  await own.close();

  await page.goto(`${BASE}/admin/operations/audit?action=admin.sign_in`);
  await expect(page.getByRole("table").getByText("Ada Reader").first()).toBeVisible();
});

test("an owner changes the brand, a holiday, thresholds and the imprint in the browser", async ({ page }) => {
  await sendAdminSecret(page.request, INSTALLATION);
  const second = await page.context().newPage();
  await second.goto(`${BASE}/admin/settings/brand`);
  await page.goto(`${BASE}/admin/settings/brand`);
  await page.getByLabel("Name", { exact: true }).fill("Kestrel Signals");
  await page.getByLabel("Colour on a light background").fill("#9db2ff");
  await page.getByRole("button", { name: "Preview" }).first().click();
  await expect(page.getByText(/Has a contrast of 1\.\d\d to 1/)).toBeVisible();
  await page.getByLabel("Colour on a light background").fill("#7a1f5c");
  await page.getByLabel("Colour on a dark background").fill("#f0a6d8");
  await page.getByLabel("Support address").fill("help@kestrel.example");
  await store(page);
  await expectAccessible(page);

  // A form opened before must not revert the change.
  await second.getByLabel("Shop").fill("https://shop.example");
  await second.getByRole("button", { name: "Preview" }).first().click();
  await expect(alertNotice(second)).toBeVisible();
  await expect(second.getByLabel("Shop")).toHaveValue("https://shop.example");
  await second.close();

  // Cached pages must show the new brand too.
  await page.goto(BASE);
  await expect(page.getByRole("link", { name: "Kestrel Signals, home" })).toBeVisible();
  await expect(page).toHaveTitle(/^Kestrel Signals:/);
  for (const [scheme, colour] of [
    ["light", "rgb(122, 31, 92)"],
    ["dark", "rgb(240, 166, 216)"],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(`${BASE}/security`);
    await expect(page.getByRole("link", { name: "help@kestrel.example" })).toHaveCSS("color", colour);
    await expectAccessible(page);
  }
  await page.emulateMedia({ colorScheme: "light" });

  await page.goto(`${BASE}/admin/settings/calendars?calendar=us_share`);
  await expect(page.getByRole("row", { name: /Thanksgiving/ }).first()).toBeVisible();
  await page.getByLabel("Day", { exact: true }).fill("2031-07-16");
  await page.getByLabel("Note").fill("A day of mourning");
  await store(page);
  await expect(page.getByRole("row", { name: /16 Jul 2031.*A day of mourning.*yours/ })).toBeVisible();
  await expectAccessible(page);

  await page.goto(`${BASE}/admin/settings/thresholds?slot=XAUUSD/H4`);
  const slot = page.locator("form", { has: page.getByLabel("Minutes until stale") });
  await slot.getByLabel("Minutes until stale").fill("40");
  await slot.getByLabel("Training", { exact: true }).selectOption("no");
  await slot.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByText(/\b40 minutes .*\b15\b/)).toBeInViewport();
  await confirm(page);
  await expect(page.getByRole("row", { name: /XAUUSD H4 40 no/ })).toBeVisible();

  await page.goto(`${BASE}/admin/settings/access`);
  const notice = page.locator("form", { has: page.getByLabel("Days before") });
  await notice.getByLabel("Days before").fill("10, 5");
  await notice.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByText(/10, 5 days .*7, 3, 1/)).toBeVisible();
  await confirm(page);

  await page.goto(`${BASE}/imprint`);
  await expect(page.getByText(/not written/)).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${BASE}/admin/settings/texts/imprint`);
  await page.getByLabel("Content").fill("## {{service}}\n\nExample Street 1. {{contact}}");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByRole("heading", { name: "Kestrel Signals" })).toBeVisible();
  await confirm(page);
  await page.goto(`${BASE}/imprint`);
  await expect(page.getByText(/^Example Street 1\. .*help@kestrel\.example/)).toBeVisible();
  await expect(page.getByText("Version 1")).toBeVisible();

  await page.goto(`${BASE}/admin/settings/brand`);
  for (const label of ["Colour on a light background", "Colour on a dark background", "Support address"])
    await page.getByLabel(label).fill("");
  await page.getByLabel("Name", { exact: true }).fill("");
  await store(page);
  await page.goto(BASE);
  await expect(page.getByRole("link", { name: "Signal Delivery Service, home" })).toBeVisible();
});

test("an owner stores, replaces and removes a service token, which is never shown again", async ({
  page,
}) => {
  await openAdministration(page, INSTALLATION, "/admin/feeds");
  const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "OANDA" }) });
  await card.getByLabel("Token of OANDA").fill("the-first-token-of-oanda-k1");
  await card.getByRole("button", { name: "Store" }).click();
  await expect(card.getByText("ends in …k1")).toBeVisible();
  await card.getByLabel("New token of OANDA").fill("the-second-token-of-oanda-k2");
  await card.getByRole("button", { name: "Replace" }).click();
  await expect(card.getByText("ends in …k2")).toBeVisible();
  await expectAccessible(page);
  expect(await page.content()).not.toContain("token-of-oanda");
  await card.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(card.getByText(/not set/)).toBeVisible();

  await page.goto(`${BASE}/admin/payments/platforms`);
  await expect(page.getByText(/Stripe.*STRIPE_WEBHOOK_SECRET/)).toBeVisible();
});
