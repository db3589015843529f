import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type BrowserContext, expect, type Page } from "@playwright/test";
import { serviceOf } from "@/tests/e2e/service";
import { commandArguments } from "@/tests/support/command";
import { sentMails } from "@/tests/support/sent-mail";
import { expectAccessible, test, watchPage } from "./accessible";
import { alertNotice, doneNotice } from "./notices";

const { baseUrl: BASE, adminSecret: SECRET, dataDir: DATA_DIR } = serviceOf("operator");
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;
let signedIn: State;

async function signIn(page: Page, secret = SECRET): Promise<void> {
  await page.goto(`${BASE}/admin/sign-in`);
  await page.getByLabel("Administrator secret").fill(secret);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test.beforeAll(async ({ browser }) => {
  const page = await browser.newPage();
  await signIn(page);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  signedIn = await page.context().storageState();
  await page.close();
});

/** Opens a page as administrator, and collects its errors. */
async function openArea(page: Page, path: string): Promise<string[]> {
  const trouble = watchPage(page);
  await page.context().addCookies(signedIn.cookies);
  await page.goto(BASE + path);
  return trouble;
}

const run = (args: string[]) =>
  new Promise<{ code: number; output: string }>((done) => {
    execFile(
      process.execPath,
      [...commandArguments("ea"), ...args],
      { cwd: ROOT, env: { ...process.env, MARKET_FEED: "off" }, timeout: 45_000 },
      (error, stdout, stderr) =>
        done({ code: typeof error?.code === "number" ? error.code : error ? 1 : 0, output: stdout + stderr }),
    );
  });

async function deliver(page: Page, event: string, data: Record<string, unknown>): Promise<void> {
  const body = JSON.stringify({ event, data });
  const signature = createHmac("sha256", "e2e-webhook-secret").update(body).digest("hex");
  const answer = await page.request.post(`${BASE}/webhooks/payment`, {
    data: body,
    headers: { "x-signature": signature, "Content-Type": "application/json" },
  });
  expect(answer.status(), await answer.text()).toBe(200);
}

const invoice = (id: string, email: string, productId = "3031367") => ({
  id,
  status: "paid",
  items: [{ productId, name: "Signals", quantity: 1, amount: 49 }],
  buyer: { name: "Grace Hopper", email },
  paid_at: new Date().toISOString(),
});

test("a new key works in a trading client until it is revoked", async ({ page }) => {
  test.setTimeout(120_000);
  const trouble = await openArea(page, "/admin/subscribers");
  await page.getByRole("link", { name: "New subscriber" }).click();
  await page.getByLabel("Name").fill("Katherine Johnson");
  await page.getByLabel("E-mail").fill("katherine@example.com");
  await page.getByLabel("Plan", { exact: true }).selectOption("pro");
  await page.getByLabel("No end date").check();
  await page.getByRole("button", { name: "Create and show the key" }).click();

  await expect(page.getByRole("heading", { name: "The new key" })).toBeVisible();
  const key = (await page.locator("code").first().textContent()) ?? "";
  expect(key).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const config = JSON.parse((await page.locator("pre code").textContent()) ?? "{}");
  expect(config).toEqual({ InpApiUrl: BASE, InpApiKey: key });
  const shownAt = page.url();
  await page.getByLabel("I have saved it").check();
  await page.getByRole("link", { name: "Open subscriber" }).click();
  await expect(page.getByRole("heading", { name: "Katherine Johnson" })).toBeVisible();
  await expect(page.getByText("Never seen")).toBeVisible();
  const subscriber = page.url();
  await page.goto(shownAt);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator("body")).not.toContainText(key);

  const first = await run(["--url", `${BASE}/`, "--key", key, "--polls", "1"]);
  expect(first.output).toContain("poll 1:");
  expect(first.code).toBe(0);
  await page.goto(subscriber);
  await expect(page.getByText("Online", { exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Revoke" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toHaveAccessibleDescription(/never/);
  await dialog.getByRole("button", { name: "Revoke the key" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await expect(page.getByText("Revoked", { exact: true }).first()).toBeVisible();
  await expect(page.getByText("Key revoked")).toBeVisible();
  await expect(page.getByText("no key in force")).toBeVisible();

  const refused = await run(["--url", `${BASE}/`, "--key", key, "--polls", "1"]);
  expect(refused.output).toContain("the key was refused");
  expect(refused.output).toContain("key_revoked");
  expect(refused.code).toBe(3);
  expect(trouble).toEqual([]);
});

test("a form that is sent after the session has ended keeps its text and can be sent after a new sign-in", async ({
  page,
}) => {
  const trouble = await openArea(page, "/admin/subscribers/new");
  const name = `Patient ${Date.now()}`;
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("No end date").check();
  await page.getByLabel("Notes").fill("A long note.");
  await page.context().clearCookies();
  const create = page.getByRole("button", { name: "Create and show the key" });
  await create.click();
  const unsent = page.getByRole("dialog", { name: "Not sent yet" });
  await expect(unsent).toHaveAccessibleDescription(/session has ended/);
  await expectAccessible(page);

  const [tab] = await Promise.all([
    page.waitForEvent("popup"),
    unsent.getByRole("link", { name: "Sign in in a new tab" }).click(),
  ]);
  await tab.getByLabel("Administrator secret").fill(SECRET);
  await tab.getByRole("button", { name: "Sign in" }).click();
  await expect(tab.getByRole("heading", { name: "Overview" })).toBeVisible();
  await tab.close();

  await unsent.getByRole("button", { name: "Back to the form" }).click();
  await expect(page.getByLabel("Notes")).toHaveValue("A long note.");
  await create.click();
  await expect(page.getByRole("heading", { name: "The new key" })).toBeVisible();
  await page.getByLabel("I have saved it").check();
  await page.getByRole("link", { name: "Open subscriber" }).click();
  await expect(page.getByRole("textbox", { name: "Notes" })).toHaveValue("A long note.");
  expect(trouble).toEqual([]);
});

test("an administrator's form is not sent while the service does not answer, and keeps its text", async ({
  page,
}) => {
  await openArea(page, "/admin/subscribers/new");
  const name = `Stranded ${Date.now()}`;
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("No end date").check();
  await page.context().setOffline(true);
  const create = page.getByRole("button", { name: "Create and show the key" });
  await create.click();
  const unsent = page.getByRole("dialog", { name: "Not sent yet" });
  await expect(unsent).toHaveAccessibleDescription(/did not answer/);
  await expect(unsent.getByRole("link")).toBeHidden();
  await page.context().setOffline(false);
  await unsent.getByRole("button", { name: "Back to the form" }).click();
  await expect(page.getByLabel("Name")).toHaveValue(name);
  await create.click();
  await expect(page.getByRole("heading", { name: "The new key" })).toBeVisible();
});

test("a double click submits a form once, and a rejected form focuses its first invalid field", async ({
  page,
}) => {
  await openArea(page, "/admin/subscribers/new");
  const name = `Impatient ${Date.now()}`;
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("No end date").check();
  await page.getByLabel("Only these timeframes").fill("H99");
  const create = page.getByRole("button", { name: "Create and show the key" });
  await create.click();
  await expect(page.getByLabel("Only these timeframes")).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByLabel("Name")).toHaveValue(name);
  await expect(page.getByLabel("Only these timeframes")).toBeFocused();
  await page.getByLabel("Only these timeframes").fill("H1");

  // Delays the answer like a slow line, so that the second click still hits the page.
  const sent: string[] = [];
  await page.route(/\/admin\/subscribers\/act\?intent=create$/, async (route) => {
    sent.push(route.request().method());
    await new Promise((done) => setTimeout(done, 800));
    await route.continue();
  });
  await create.scrollIntoViewIfNeeded();
  const box = await create.boundingBox();
  if (!box) throw new Error("the button is not on the page");
  // Uses the mouse, because a locator click would wait for the answer.
  const impatient = () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await impatient();
  await expect.poll(() => sent.length).toBe(1);
  await impatient();
  await expect(page.getByRole("heading", { name: "The new key" })).toBeVisible();
  expect(sent).toEqual(["POST"]);
  await page.goto(`${BASE}/admin/subscribers?q=${encodeURIComponent(name)}`);
  await expect(page.getByText("1 subscriber", { exact: true })).toBeVisible();
});

test("reading a payload is audited, and applying the delivery again creates no second subscriber", async ({
  page,
}) => {
  const id = `e2e-${Date.now()}`;
  await deliver(page, "payment.invoice_paid", invoice(id, `${id}@example.com`, "42"));
  await openArea(page, `/admin/payments?q=${id}`);
  await expect(page.getByText("unmapped product")).toBeVisible();
  await page.getByRole("table").getByRole("link").first().click();
  await page.getByRole("button", { name: "Read the payload" }).click();
  await expect(page.getByText(`"email": "${id}@example.com"`)).toBeVisible();
  await page.getByRole("button", { name: "Mark as reviewed" }).click();
  await expect(page.getByText("Reviewed", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Apply again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply again" }).click();
  await expect(page.getByRole("status").filter({ hasText: /applied/i })).toBeVisible();
  await page.goto(`${BASE}/admin/operations/audit?action=payment.payload_read`);
  await expect(page.getByRole("cell", { name: /delivery \d+/i }).first()).toBeVisible();
  await page.goto(`${BASE}/admin/subscribers?q=${id}`);
  await expect(page.getByText("1 subscriber", { exact: true })).toBeVisible();
});

test("a suspended key is refused until it is reinstated", async ({ page }) => {
  const id = `held-${Date.now()}`;
  const made = await page.request.post(`${BASE}/admin/keys`, {
    headers: { "X-Admin-Secret": SECRET },
    data: { user_name: id, email: `${id}@example.com`, plan_tier: "pro" },
  });
  const { api_key: key } = await made.json();
  const codeOf = async () => {
    const answer = await page.request.get(`${BASE}/api/account/me`, { headers: { "X-API-Key": key } });
    return answer.ok() ? "ok" : (await answer.json()).code;
  };
  const trouble = await openArea(page, `/admin/subscribers?q=${id}`);
  await page.getByRole("link", { name: id }).first().click();
  await page.getByRole("button", { name: "Suspend", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toHaveAccessibleDescription(/reinstate/);
  await dialog.getByRole("button", { name: "Suspend the key" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await expect(page.getByText("Suspended", { exact: true }).first()).toBeVisible();
  // On a busy machine a look-up may answer 503, which says nothing about the key.
  await expect.poll(codeOf).toBe("key_suspended");
  await expect(page.getByRole("button", { name: "Issue a key" })).toHaveCount(0);
  await expectAccessible(page);

  await page.getByRole("button", { name: "Reinstate" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await expect(page.getByText("Key reinstated")).toBeVisible();
  await expect.poll(codeOf).toBe("ok");
  expect(trouble).toEqual([]);
});

test("an administrator restores access after a refund of one of two paid invoices", async ({ page }) => {
  const id = `both-${Date.now()}`;
  const email = `${id}@example.com`;
  await deliver(page, "payment.invoice_paid", invoice(`${id}-1`, email));
  await deliver(page, "payment.invoice_paid", invoice(`${id}-2`, email));
  await deliver(page, "payment.invoice_refunded", { ...invoice(`${id}-1`, email), status: "refunded" });
  const trouble = await openArea(page, `/admin/payments?q=${id}-1&action=access_revoked`);
  await page.getByRole("table").getByRole("link").first().click();
  await expect(page.getByRole("button", { name: "Restore access" })).toBeVisible();
  const delivery = page.url();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Open subscriber" }).click();
  await page.getByRole("link", { name: "Review the payment" }).click();
  await expect(page).toHaveURL(delivery);
  await page.getByRole("button", { name: "Restore access" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toHaveAccessibleDescription(/same subscription/);
  await dialog.getByRole("button", { name: "Create and mail the key" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await expect(page.getByText("Active", { exact: true }).first()).toBeVisible();
  await page.goto(delivery);
  await expect(page.getByRole("button", { name: "Restore access" })).toHaveCount(0);
  await expect(page.getByText("Reviewed", { exact: true })).toBeVisible();
  expect(trouble).toEqual([]);
});

test("a mail is resent to a corrected address", async ({ page }) => {
  const id = `mail-${Date.now()}`;
  await deliver(page, "payment.invoice_paid", invoice(id, `${id}@exmaple.test`));
  await deliver(page, "payment.invoice_refunded", {
    ...invoice(id, `${id}@exmaple.test`),
    status: "refunded",
  });
  await openArea(page, `/admin/mail?q=${id}&kind=access-revoked`);
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole("cell", { name: "In the outbox", exact: true }).first()).toBeVisible({
      timeout: 500,
    });
  }).toPass({ timeout: 20_000 });
  await page.getByRole("table").getByRole("link").first().click();
  // The list has a field with the same label, for a test mail.
  await expect(page.getByRole("heading", { level: 1, name: "Access revoked" })).toBeVisible();
  const mail = page.url();
  await page.getByRole("link", { name: "Grace Hopper" }).click();
  await page.getByLabel("E-mail").fill(`${id}@example.test`);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await page.goto(mail);
  await page.getByRole("button", { name: "Send again" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await expect
    .poll(() =>
      sentMails(DATA_DIR).some(({ source }) => /^To: .*$/m.exec(source)?.[0].includes(`${id}@example.test`)),
    )
    .toBe(true);
});

test("a stale slot appears on the overview with its age", async ({ page }) => {
  const admin = { "X-Admin-Secret": SECRET };
  const slot = { symbol: "ETHUSD", timeframe: "H1" };
  const post = (path: string, item: Record<string, unknown>) =>
    page.request.post(BASE + path, { headers: admin, data: { items: [item] } });
  const model = { ...slot, model_v: "own-1", auc_wf: 0.55, pf_wf: 1.1, trained_at: "2026-01-01T00:00:00Z" };
  expect((await post("/admin/ingest/models", { ...model, is_active: true })).status()).toBe(200);
  const hour = new Date(Math.floor(Date.now() / 3_600_000 - 6) * 3_600_000).toISOString();
  const signal = {
    ...slot,
    ts: hour,
    model_v: "own-1",
    signal: "BUY",
    confidence: 0.6,
    prob_buy: 0.6,
    prob_sell: 0.2,
    prob_no: 0.2,
    regime: "TREND_UP",
    expected_rr: 1.5,
  };
  expect((await post("/admin/ingest/signals", signal)).status()).toBe(200);

  await openArea(page, "/admin");
  const attention = page.getByRole("region", { name: /Needs attention/ });
  await expect(attention).toContainText(/ETHUSD H1 .*\d+ .*min/);
  await attention.getByRole("link", { name: "Signals and slots" }).first().click();
  await page.getByRole("link", { name: /ETHUSD H1/ }).click();
  await expect(page.getByText("Stale", { exact: true })).toBeVisible();

  // Deactivates the slot again: other tests share the installation.
  expect((await post("/admin/ingest/models", { ...model, is_active: false })).status()).toBe(200);
});

test("sign-in, search and a confirmation dialog work with the keyboard alone", async ({ page }) => {
  await page.goto(`${BASE}/admin/sign-in?next=/admin/subscribers`);
  await page.getByLabel("Administrator secret").focus();
  await page.keyboard.type(SECRET);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Subscribers" })).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: /skip/i })).toBeFocused();
  await page.keyboard.press("Enter");
  const search = page.getByRole("searchbox", { name: "Search", exact: true });
  for (let i = 0; i < 8 && !(await search.evaluate((node) => node === document.activeElement)); i++)
    await page.keyboard.press("Tab");
  await expect(search).toBeFocused();
  await page.keyboard.type("Demo subscriber");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/q=Demo/);
  await page.getByRole("link", { name: "Demo subscriber" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Demo subscriber" })).toBeVisible();
  const revoke = page.getByRole("button", { name: "Revoke" });
  await revoke.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(revoke).toBeFocused();
  await expect(page.getByText("Active", { exact: true }).first()).toBeVisible();
});

test("a wrong secret and no session lead to the sign-in page, and a form of an ended session has no effect", async ({
  page,
}) => {
  await page.goto(`${BASE}/admin/payments`);
  await expect(page).toHaveURL(/\/admin\/sign-in\?next=%2Fadmin%2Fpayments$/);
  await signIn(page, "not-the-secret-at-all");
  await expect(alertNotice(page)).toBeVisible();

  await openArea(page, "/admin/subscribers/1");
  const own = await page.context().browser()?.newContext();
  if (!own) throw new Error("no browser");
  const other = await own.newPage();
  await signIn(other);
  await other.goto(`${BASE}/admin/subscribers/1`);
  const form = await own.newPage();
  await form.goto(`${BASE}/admin`);
  await form.getByRole("button", { name: "Sign out" }).first().click();
  await expect(form).toHaveURL(/\/admin\/sign-in$/);
  // The page of the ended session is still open.
  await other.getByRole("textbox", { name: "Notes" }).fill("written after the end");
  await other.getByRole("button", { name: "Save" }).click();
  await expect(other.getByRole("dialog", { name: "Not sent yet" })).toBeVisible();
  await other.goto(`${BASE}/admin/subscribers/1`);
  await expect(other).toHaveURL(/\/admin\/sign-in\?next=/);
  await page.reload();
  await expect(page.getByRole("textbox", { name: "Notes" })).not.toHaveValue("written after the end");
  await own.close();
});

test("the browser stores no secret, and scripts cannot read the session cookie", async ({ page }) => {
  await openArea(page, "/admin");
  const cookies = await page.context().cookies(`${BASE}/admin`);
  const session = cookies.find((cookie) => cookie.name === "admin_session");
  expect(session).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/admin" });
  expect(session?.value).not.toContain(SECRET);
  expect(await page.evaluate(() => document.cookie)).not.toContain("admin_session");
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(
    SECRET,
  );
  const elsewhere = await page.context().cookies(`${BASE}/api/health`);
  expect(elsewhere.map((cookie) => cookie.name)).not.toContain("admin_session");
});

test("pausing a slot removes it from the scan, and ending the pause restores it", async ({ page }) => {
  const made = await (
    await page.request.post(`${BASE}/admin/keys`, {
      headers: { "X-Admin-Secret": SECRET },
      data: { user_name: "P", plan_tier: "pro" },
    })
  ).json();
  const isInScan = async () => {
    const scan = await page.request.get(`${BASE}/api/scan`, { headers: { "X-API-Key": made.api_key } });
    const { items } = await scan.json();
    return items.some(
      (item: { symbol: string; timeframe: string }) => `${item.symbol} ${item.timeframe}` === "GBPUSD H4",
    );
  };
  expect(await isInScan()).toBe(true);
  const trouble = await openArea(page, "/admin/signals/GBPUSD/H4");
  await page.getByLabel("Reason, shown to subscribers").fill("The feed of GBPUSD is wrong");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByRole("status").filter({ hasText: "GBPUSD H4" })).toBeVisible();
  expect(await isInScan()).toBe(true);
  await page.getByRole("button", { name: "Pause now" }).click();
  await expect(doneNotice(page)).toContainText("GBPUSD H4");
  expect(await isInScan()).toBe(false);
  await page.getByRole("button", { name: "End pause" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End pause" }).click();
  await expect(page.getByRole("button", { name: "End pause" })).toHaveCount(0);
  await expect(doneNotice(page)).toBeVisible();
  expect(await isInScan()).toBe(true);
  expect(trouble).toEqual([]);
});

test("the signals of a slot are listed up to a date and time", async ({ page }) => {
  await openArea(page, "/admin/signals/GBPUSD/H4");
  const end = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 16);
  await page.getByLabel("Signals until, UTC").fill(end);
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByLabel("Signals until, UTC")).toHaveValue(end);
  const newest = page.getByRole("table", { name: /^Signals of GBPUSD H4/ }).locator("time");
  expect(Date.parse((await newest.first().getAttribute("datetime")) ?? "")).toBeLessThanOrEqual(
    Date.parse(`${end}Z`),
  );
});

test("the search works by keyboard on two pages, hides the middle of a key, and works without JavaScript", async ({
  browser,
  page,
}) => {
  const trouble = await openArea(page, "/admin/operations");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("demo sub");
  await expect(page.getByRole("option", { name: /Demo subscriber/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/admin\/subscribers\/\d+$/);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: /^Search people/ })).toBeFocused();
  await page.keyboard.type("some words");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("combobox", { name: /^Search people/ })).toBeHidden();
  // A complete key must not appear in an address.
  const key = "01234567-89ab-cdef-0123-456789abcdef";
  await page.keyboard.press("Control+k");
  await page.keyboard.insertText(key);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/search\?q=0123\*{4}cdef$/);
  await page.getByLabel("Search for").fill(key);
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page.getByLabel("Search for")).toHaveValue("0123****cdef");
  expect(page.url()).not.toContain(key);
  expect(trouble).toEqual([]);
  const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await openArea(plain, "/admin");
  await plain
    .getByRole("link", { name: /^Search/ })
    .first()
    .click();
  await plain.getByLabel("Search for").fill("demo");
  await plain.getByRole("button", { name: "Search" }).click();
  await expect(plain.getByRole("link", { name: /Demo subscriber/ })).toBeVisible();
  await plain.context().close();
});

test("an incident can be published and resolved, and appears on the status page", async ({ page }) => {
  const trouble = await openArea(page, "/admin/status");
  await page.getByLabel("Title").fill("Wrong gold prices");
  await page.getByLabel("First update").fill("XAUUSD is off by a factor of ten.");
  await page.getByRole("button", { name: "Publish incident" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await expect(async () => {
    await page.goto(`${BASE}/status`);
    await expect(page.getByRole("heading", { name: "Wrong gold prices" })).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 15_000 });
  await page.goto(`${BASE}/admin/status`);
  await page.getByLabel("Stage of “Wrong gold prices”").selectOption("resolved");
  await page
    .getByRole("listitem")
    .filter({ hasText: "Wrong gold prices" })
    .getByLabel("Update", { exact: true })
    .fill("The feed is corrected.");
  await page.getByRole("button", { name: "Publish update" }).first().click();
  await expect(doneNotice(page)).toBeVisible();
  expect(trouble).toEqual([]);
});

test("a model's page shows the same figures as the public record", async ({ page, request }) => {
  const slot = "symbol=BTCUSD&tf_code=H1";
  const read = async (path: string) => (await request.get(`${BASE}/api/public/${path}`)).json();
  await expect
    .poll(async () => (await read(`record?${slot}`)).items?.[0]?.model.n ?? 0, { timeout: 45_000 })
    .toBeGreaterThan(50);
  const { items: models } = await read(`models?${slot}`);
  const champion = models.find((model: { is_active: boolean }) => model.is_active);
  await expect(async () => {
    const { items } = await read(`record?${slot}&model_v=${encodeURIComponent(champion.model_v)}`);
    const { n, win_rate_pct: winRate, max_drawdown_r: drawdown } = items[0].model;
    await openArea(page, "/admin/models/BTCUSD/H1");
    const row = page
      .getByRole("table", { name: /^Results of BTCUSD H1/ })
      .getByRole("row", { name: /^The signals/ });
    await expect(row).toContainText(`${winRate.toFixed(1)} %`);
    await expect(row).toContainText(`n\u00a0=\u00a0${n.toLocaleString("en-US")}`);
    await expect(row).toContainText(drawdown.toFixed(2));
    await expect(page.getByText(new RegExp(`drawdown ${drawdown.toFixed(2)}`)).first()).toBeVisible();
  }).toPass({ timeout: 30_000 });
  // The demo's history has outcomes for every hour and weekday.
  const rowsBy = (by: string) =>
    page.getByRole("table", { name: `Calibration of NO TRADE by ${by}` }).getByRole("row");
  await expect(rowsBy("hour")).toHaveCount(1 + 24);
  await expect(rowsBy("weekday")).toHaveCount(1 + 7);
});
