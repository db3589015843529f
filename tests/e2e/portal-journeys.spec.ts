import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { service } from "@/tests/e2e/service";
import { reportPositionHistory } from "@/tests/support/report-executions";
import { doneNotice } from "./notices";
import {
  baseUrl,
  callScan,
  deliverPayment,
  issueKey,
  openPortal,
  sendKey,
  signInByKey,
  tabTo,
  test,
} from "./portal-support";

test("a key rotation shows the new key once and ends the old one", async ({ context, strictPage: page }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { key } = await issueKey();
  await openPortal(page, key, "/portal/key");
  const dialog = page.getByRole("dialog", { name: "Rotate your API key?" });
  await page.getByRole("button", { name: "Rotate key" }).click();
  await expect(dialog).toHaveAccessibleDescription(/Your EA/);
  await dialog.getByLabel("Type ROTATE to continue").fill("ROTAT");
  await dialog.getByRole("button", { name: "Rotate now" }).click();
  await expect(dialog.getByLabel("Type ROTATE to continue")).toBeFocused();
  expect(await callScan(key)).toBe(200);
  await dialog.getByLabel("Type ROTATE to continue").fill("ROTATE");
  await dialog.getByRole("button", { name: "Rotate now" }).click();

  await expect(page.getByRole("heading", { level: 1, name: "Your new key" })).toBeVisible();
  const readCopied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy API key" }).click();
  await expect(page.getByRole("button", { name: "Copied API key" })).toBeVisible();
  await expect.poll(readCopied).toMatch(/^[0-9a-f-]{36}$/);
  const copied = await readCopied();
  // The subscriber returns from the trading terminal, where the key was entered.
  const isAsked = page.waitForResponse((response) => response.url().endsWith("/portal/live"));
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await isAsked;
  await expect(page.getByRole("heading", { level: 1, name: "Your new key" })).toBeVisible();
  expect(await callScan(key)).toBe(401);
  await expect(doneNotice(page)).toHaveCount(0);
  expect(await callScan(copied)).toBe(200);
  await expect(doneNotice(page)).toBeVisible({ timeout: 3_000 });

  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Key" })).toBeVisible();
  await expect(page.getByText(copied)).toHaveCount(0);
});

for (const browser of ["with command buttons", "without command buttons"])
  test(`the rotation dialog works before the page scripts load, in a browser ${browser}, and is empty when opened again`, async ({
    page,
    context,
  }) => {
    await context.grantPermissions(["clipboard-write"]);
    const { key } = await issueKey();
    await sendKey(page.request, key);
    await context.route("**/_next/static/**/*.js", () => new Promise(() => {}));
    if (browser === "without command buttons") await context.addInitScript(withoutCommands);
    await page.goto(`${baseUrl()}/portal/key`, { waitUntil: "commit" });
    const dialog = page.getByRole("dialog", { name: "Rotate your API key?" });
    const word = dialog.getByLabel("Type ROTATE to continue");
    await page.getByRole("button", { name: "Rotate key" }).click();
    await word.fill("ROTATE");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(dialog).toBeHidden();
    await page.getByRole("button", { name: "Rotate key" }).click();
    await expect(word).toHaveValue("");
    await word.fill(" ROTATE ");
    await dialog.getByRole("button", { name: "Rotate now" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Your new key" })).toBeVisible();
    await page.getByRole("button", { name: "Copy API key" }).click();
    await expect(page.getByRole("button", { name: "Copied API key" })).toBeVisible();
  });

/** Removes command buttons for dialogs from the browser, as in older versions. */
function withoutCommands(): void {
  Reflect.deleteProperty(HTMLButtonElement.prototype, "commandForElement");
  addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("button[commandfor]")) event.preventDefault();
  });
}

test("a subscriber sees each payment with its effect and downloads the list", async ({
  strictPage: page,
}) => {
  const email = `payer-${Date.now()}@example.test`;
  const { key } = await issueKey({
    email,
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  await openPortal(page, key, "/portal/payments");
  await expect(page.getByRole("heading", { level: 1, name: "Payments" })).toBeVisible();
  await expect(page.getByRole("table")).toHaveCount(0);
  await deliverPayment(email, `${email}-1`);
  await deliverPayment(email, `${email}-2`);
  await page.reload();
  const table = page.getByRole("table", { name: "Payments, newest first" });
  await expect(table.getByRole("row")).toHaveCount(3);
  await expect(table.getByText("49.90 EUR")).toHaveCount(2);
  await expect(table.getByText("Moved the end of access")).toHaveCount(2);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8").split("\r\n");
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain(`${email}-2,`);
  expect(lines[1]).toContain(",pro,49.9,EUR,renewed,");
});

test("a shared record is visible by its link until the link is withdrawn", async ({
  browser,
  strictPage: page,
}) => {
  const { key } = await issueKey();
  // A signal that is still open when the subscription begins; each retry uses another slot.
  await ingestSignal("BUY", 1, ["USDCHF", "USDCAD"][test.info().retry]);
  await openPortal(page, key, "/portal/record");
  await page.getByRole("button", { name: "Create a link" }).click();
  await expect(doneNotice(page)).toBeVisible();
  const address = (await page.getByText(/^http\S+\/r\/\S+$/).textContent()) ?? "";
  await page.reload();
  await expect(page.getByText(address)).toHaveCount(0);

  const stranger = await (await browser.newContext()).newPage();
  expect((await stranger.goto(address))?.status()).toBe(200);
  await expect(stranger.getByRole("heading", { level: 1, name: "A subscriber's record" })).toBeVisible();
  await expect(stranger.getByText("Ada Trader")).toHaveCount(0);
  expect((await stranger.request.get(`${address}/badge.svg`)).status()).toBe(200);

  await page.getByRole("button", { name: "Withdraw the link" }).click();
  await page.getByRole("button", { name: "Withdraw it" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await expect(page.getByRole("button", { name: "Create a link" })).toBeVisible();
  expect((await stranger.goto(address))?.status()).toBe(404);
  expect((await stranger.request.get(`${address}/badge.svg`)).status()).toBe(404);
  await stranger.context().close();
});

test("the export contains exactly the rows of the filtered list", async ({ strictPage: page }) => {
  const { key } = await issueKey({ rate_limit_per_min: 100_000 });
  await reportPositionHistory({ baseUrl: baseUrl(), key, count: 150, now: new Date() });
  await openPortal(page, key, "/portal/executions/list");
  await page.getByLabel("Symbol", { exact: true }).selectOption("EURUSD");
  await page.getByLabel("State").selectOption("closed");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("columnheader", { name: "P/L" }).getByRole("link").click();
  await expect(page).toHaveURL(/sort=pnl/);

  const listed: string[] = [];
  for (;;) {
    const table = page.getByRole("table", { name: "Reported positions" });
    listed.push(...(await table.getByRole("row").locator("td:last-child").allTextContents()));
    const next = page.getByRole("link", { name: "Next" });
    if ((await next.count()) === 0) break;
    await next.click();
    await expect(page.getByText(new RegExp(`^${listed.length + 1}–`))).toBeVisible();
  }
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8")
    .split("\r\n")
    .slice(1, -1);
  expect(listed.length).toBeGreaterThan(20);
  expect(lines.map((line) => line.split(",")[1])).toEqual(listed);
  expect(lines.every((line) => line.split(",")[2] === "EURUSD")).toBe(true);
});

test("times follow the chosen clock, and the choice is kept", async ({ browser }) => {
  const { key } = await issueKey();
  await fetch(`${baseUrl()}/api/executions`, {
    method: "POST",
    headers: { "X-API-Key": key },
    body: JSON.stringify({
      ticket: 1,
      symbol: "EURUSD",
      timeframe: "H1",
      signal: "BUY",
      opened_at: "2026-07-01T10:00:00Z",
    }),
  });
  const context = await browser.newContext({ timezoneId: "Asia/Tokyo" });
  const page = await context.newPage();
  await openPortal(page, key, "/portal/executions/list");
  const opened = page.getByRole("table").getByRole("row").nth(1).getByRole("cell").nth(1);
  await expect(opened).toContainText("10:00");
  await page.getByRole("button", { name: "Local" }).click();
  await expect(opened).toContainText("19:00");
  await page.getByRole("button", { name: "Broker" }).click();
  await expect(opened).toContainText("13:00");
  await page.goto(`${baseUrl()}/portal/key`);
  await expect(page.getByRole("button", { name: "Broker" })).toHaveAttribute("aria-pressed", "true");
  await context.close();
});

test("the EA's first call and a new signal appear within four seconds without a reload", async ({
  strictPage: page,
}) => {
  const { key } = await issueKey();
  // The signal is too old to be actionable, because an actionable one has a card above the matrix; a retry adds a newer one.
  const daysAgo = 30 - 2 * test.info().retry;
  await ingestSignal("BUY", daysAgo, "NZDUSD");
  await openPortal(page, key, "/portal/setup");
  await expect(doneNotice(page)).toHaveCount(0);
  await expect(page.getByText("Live", { exact: true }).first()).toBeVisible();
  expect(await callScan(key)).toBe(200);
  await expect(doneNotice(page)).toBeVisible({ timeout: 4_000 });

  await page.goto(`${baseUrl()}/portal/signals?symbol=NZDUSD`);
  const cell = page.getByRole("link", { name: /NZDUSD D1:/ });
  await expect(cell).toContainText("BUY");
  await expect(page.getByText("Live", { exact: true }).first()).toBeVisible();
  await watchShifts(page);
  const committedAt = await ingestSignal("SELL", daysAgo - 1, "NZDUSD");
  await expect(cell).toContainText("SELL", { timeout: 4_000 });
  const arrivedMs = Date.now() - committedAt;
  console.log(`a new signal was on the page ${arrivedMs} ms after its commit`);
  expect(await page.evaluate(() => Reflect.get(window, "shifts"))).toBe(0);
});

test("a portal page polls when no stream can be held open", async ({ page }) => {
  const { key } = await issueKey();
  await page.route("**/portal/live", (route) => route.abort());
  await openPortal(page, key);
  await expect(page.getByText("Never seen")).toBeVisible();
  await expect(page.getByText("Live, every 2 s").first()).toBeVisible();
  expect(await callScan(key)).toBe(200);
  await expect(page.getByText("Online")).toBeVisible({ timeout: 4_000 });
});

test("a page without a connection says so and reconnects by itself", async ({ page }) => {
  const { key } = await issueKey();
  await page.route("**/portal/live*", (route) => route.abort());
  await openPortal(page, key);
  await expect(page.getByText(/^No connection/).first()).toBeVisible();
  await page.unroute("**/portal/live*");
  await expect(page.getByText("Live", { exact: true }).first()).toBeVisible({ timeout: 6_000 });
});

test("a report from the EA appears on open pages without a reload", async ({ strictPage: page }) => {
  const { key } = await issueKey();
  const report = (body: Record<string, unknown>) =>
    fetch(`${baseUrl()}/api/executions`, {
      method: "POST",
      headers: { "X-API-Key": key },
      body: JSON.stringify({ ticket: 77, symbol: "EURUSD", timeframe: "H1", signal: "BUY", ...body }),
    });
  await openPortal(page, key);
  await expect(page.getByText("Live", { exact: true }).first()).toBeVisible();
  await report({ pnl: 0, exit_price: 0 });
  await expect(page.getByText("1 open now")).toBeVisible({ timeout: 4_000 });

  await page.goto(`${baseUrl()}/portal/executions/list`);
  const row = page.getByRole("table", { name: "Reported positions" }).getByRole("row").nth(1);
  await expect(row).toContainText("open");
  // The EA's 0 for an open position is not a result.
  await expect(row).not.toContainText("0.00");
  await expect(page.getByText("Live", { exact: true }).first()).toBeVisible();
  await report({ closed_at: new Date().toISOString(), pnl: 12.5, result: "TP" });
  await expect(row).toContainText("+12.50", { timeout: 4_000 });
});

test("an update keeps what is typed and the scroll position, and another order of the list keeps the scroll position", async ({
  page,
}) => {
  const { key } = await issueKey();
  await page.setViewportSize({ width: 1280, height: 400 });
  await reportPositionHistory({ baseUrl: baseUrl(), key, count: 30, now: new Date() });
  await openPortal(page, key, "/portal/executions/list");
  await expect(page.getByText("Live", { exact: true }).first()).toBeVisible();
  const filter = page.locator("main form input[type=date]").first();
  await filter.fill("2026-01-02");
  await filter.blur();
  await page.evaluate(() => scrollTo(0, 200));
  await fetch(`${baseUrl()}/api/executions`, {
    method: "POST",
    headers: { "X-API-Key": key },
    body: JSON.stringify({ ticket: 4242, symbol: "EURUSD", timeframe: "H1", signal: "BUY" }),
  });
  const table = page.getByRole("table", { name: "Reported positions" });
  await expect(table.getByRole("row").nth(1)).toContainText("open", { timeout: 4_000 });
  await expect(filter).toHaveValue("2026-01-02");
  const scrolled = () => page.evaluate(() => scrollY);
  expect(await scrolled()).toBe(200);

  await table.getByRole("link", { name: "Symbol" }).evaluate((link) => (link as HTMLElement).click());
  await expect(page).toHaveURL(/sort=symbol/);
  await expect.poll(scrolled).toBe(200);
});

test("an update keeps the focus on its row, and after a sign-in as another subscriber the page shows the new one", async ({
  page,
  context,
}) => {
  const { key } = await issueKey();
  const other = await issueKey({ user_name: "Ben Trader" });
  const report = (ticket: number) =>
    fetch(`${baseUrl()}/api/executions`, {
      method: "POST",
      headers: { "X-API-Key": key },
      body: JSON.stringify({ ticket, symbol: "EURUSD", timeframe: "H1", signal: "BUY" }),
    });
  for (const ticket of [1, 2, 3]) await report(ticket);
  await openPortal(page, key, "/portal/executions/list");
  await expect(page.getByText("Live", { exact: true }).first()).toBeVisible();
  const rows = page.getByRole("table", { name: "Reported positions" }).locator("tbody tr");
  const link = rows.nth(1).getByRole("link").first();
  await link.focus();
  const address = String(await link.getAttribute("href"));
  await report(4);
  await expect(rows).toHaveCount(4, { timeout: 4_000 });
  await expect(page.locator(":focus")).toHaveAttribute("href", address);
  await expect(rows.nth(2).getByRole("link").first()).toBeFocused();

  // Another person signs in, in another tab.
  await context.clearCookies();
  const tab = await context.newPage();
  await signInByKey(tab, other.key);
  await report(5);
  await expect(page.getByText("Ben Trader").first()).toBeVisible({ timeout: 15_000 });
  await expect(page.getByText("Ada Trader")).toHaveCount(0);
});

test("a slot outside the plan names the plan that includes it, and an unknown path below /portal keeps the menu", async ({
  page,
}) => {
  const { key } = await issueKey({ plan_tier: "basic" });
  const limited = await issueKey({ symbols_allowed: ["EURUSD"] });
  await ingestSignal("BUY", 3);
  await openPortal(page, key, "/portal/signals/AUDUSD/D1");
  await expect(page.getByText(/AUDUSD D1 .*your plan/)).toBeVisible();
  await expect(page.getByText(/plan .*\bpro\b/i).first()).toBeVisible();
  for (const path of ["/portal/nothing/here", "/portal/signals/NOSUCH/H1", "/portal/signals/EURUSD/H9"]) {
    const response = await page.goto(baseUrl() + path);
    expect(response?.status(), path).toBe(404);
    await expect(page.getByRole("navigation", { name: "Portal", exact: true })).toBeVisible();
    await expect(page.getByRole("heading", { level: 1, name: "Not found" })).toBeVisible();
    const withoutScripts = (await response?.text())?.replace(/<script[\s\S]*?<\/script>/g, "");
    expect(withoutScripts, path).toMatch(/<h1[^>]*>Not found</);
  }
  await page.context().clearCookies();
  await openPortal(page, limited.key, "/portal/signals/audusd/d1");
  await expect(page.getByText(/AUDUSD D1 .*your key/)).toBeVisible();
});

test("charts use the chosen clock and load their table on request", async ({ browser }) => {
  const { key } = await issueKey();
  const context = await browser.newContext({ timezoneId: "Asia/Tokyo" });
  const page = await context.newPage();
  await openPortal(page, key, "/portal/signals/EURUSD/H1");
  await page.getByRole("button", { name: "Local" }).click();
  await expect(
    page
      .getByText(/UTC\+9/)
      .filter({ visible: true })
      .first(),
  ).toBeVisible();
  await expect(page.getByText(/UTC(?!\+9)/).filter({ visible: true })).toHaveCount(1);
  expect(await page.locator("*").count()).toBeLessThan(1_800);
  await page.getByRole("link", { name: "Show the table" }).first().click();
  await expect(page.getByRole("columnheader", { name: "Candle, UTC+9" })).toBeVisible();
  await context.close();
});

test("sign-in, navigation and key rotation work with the keyboard alone", async ({ strictPage: page }) => {
  const { key } = await issueKey({ rate_limit_per_min: 100_000 });
  await reportPositionHistory({ baseUrl: baseUrl(), key, count: 12, now: new Date() });
  await page.goto(`${baseUrl()}/login`);
  await tabTo(page, "API key");
  await page.keyboard.type(key);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();

  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: /skip/i })).toBeFocused();
  await tabTo(page, "Positions");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Positions" })).toBeVisible();
  await tabTo(page, "List");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("table", { name: "Reported positions" })).toBeVisible();

  await tabTo(page, "Key");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Key" })).toBeVisible();
  await tabTo(page, "Rotate key");
  await page.keyboard.press("Enter");
  await tabTo(page, "Type ROTATE to continue");
  await page.keyboard.type("ROTATE");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Your new key" })).toBeVisible();
  expect(await callScan(key)).toBe(401);
});

test("settings are saved, and subscribers can export their data and sign out everywhere", async ({
  strictPage: page,
}) => {
  const { key } = await issueKey();
  await openPortal(page, key, "/portal/settings");
  await page.getByLabel("Display name").fill("Countess");
  await page.getByLabel("When my EA stops calling").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Saved" })).toBeVisible();
  await expect(page.getByLabel("Display name")).toHaveValue("Countess");
  await expect(page.getByLabel("When my EA stops calling")).not.toBeChecked();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export my data" }).click(),
  ]);
  const data = JSON.parse(readFileSync(await download.path(), "utf8"));
  expect(data.subscription.preferences.displayName).toBe("Countess");
  expect(JSON.stringify(data)).not.toContain(key);

  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page).toHaveURL(/[?&]notice=signed_out_everywhere/);
  await page.goto(`${baseUrl()}/portal`);
  await expect(page).toHaveURL(/\/login$/);
});

test("typed text stays on the page when the session ends, and can be sent after a new sign-in", async ({
  page,
  context,
}) => {
  const { key } = await issueKey();
  await signInByKey(page, key);
  await page.goto(`${baseUrl()}/portal/settings`);
  const name = page.getByLabel("Display name");
  await name.fill("Countess");
  const tab = await context.newPage();
  await tab.goto(`${baseUrl()}/portal/settings`);
  await tab.getByRole("button", { name: "Sign out everywhere" }).click();
  await tab.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(tab).toHaveURL(/[?&]notice=signed_out_everywhere/);

  const unsent = page.getByRole("dialog", { name: "Not sent yet" });
  await expect(unsent).toHaveAccessibleDescription(/session or your access has ended/, { timeout: 15_000 });
  await unsent.getByRole("button", { name: "Back to the form" }).click();
  await expect(name).toHaveValue("Countess");
  const save = page.getByRole("button", { name: "Save", exact: true });
  await save.click();
  await expect(unsent).toBeVisible();

  await signInByKey(tab, key);
  await unsent.getByRole("button", { name: "Back to the form" }).click();
  await save.click();
  await expect(page.getByRole("status").filter({ hasText: "Saved" })).toBeVisible();
  await expect(name).toHaveValue("Countess");
});

test("typed text is not sent to another subscription that was opened in the same browser", async ({
  page,
  context,
}) => {
  const { key } = await issueKey();
  const other = await issueKey({ user_name: "Ben Trader" });
  await signInByKey(page, key);
  await page.goto(`${baseUrl()}/portal/settings`);
  await page.getByLabel("Display name").fill("Countess");
  await context.clearCookies();
  await signInByKey(await context.newPage(), other.key);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const unsent = page.getByRole("dialog", { name: "Not sent yet" });
  await expect(unsent).toHaveAccessibleDescription(/another subscription is open/);
  await unsent.getByRole("button", { name: "Back to the form" }).click();
  await expect(page.getByLabel("Display name")).toHaveValue("Countess");
});

/** Stores a signal of a separate slot, `daysAgo` whole days back. Returns the time of its commit. */
async function ingestSignal(signal: "BUY" | "SELL", daysAgo: number, symbol = "AUDUSD"): Promise<number> {
  const ts = new Date(Math.floor(Date.now() / 86_400_000 - daysAgo) * 86_400_000).toISOString();
  const [probBuy, probSell] = signal === "BUY" ? [0.6, 0.2] : [0.2, 0.6];
  const item = {
    symbol,
    timeframe: "D1",
    signal,
    confidence: 0.6,
    prob_buy: probBuy,
    prob_sell: probSell,
    prob_no: 0.2,
    regime: "RANGE",
    expected_rr: 1.5,
    ts,
    model_v: "browser-test",
  };
  const response = await fetch(`${baseUrl()}/admin/ingest/signals`, {
    method: "POST",
    headers: { "X-Admin-Secret": service().adminSecret },
    body: JSON.stringify({ items: [item] }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  return Date.now();
}

async function watchShifts(page: Page): Promise<void> {
  await page.evaluate(() => {
    Reflect.set(window, "shifts", 0);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        Reflect.set(window, "shifts", Reflect.get(window, "shifts") + Reflect.get(entry, "value"));
    }).observe({ type: "layout-shift" });
  });
}

test("a chosen theme is kept after a reload", async ({ strictPage: page }) => {
  const { key } = await issueKey();
  await openPortal(page, key);
  const dark = page.getByRole("radio", { name: "Dark" }).first();
  await expect(page.getByRole("radio", { name: "As this device" }).first()).toBeChecked();
  // The script that stores the choice loads asynchronously.
  await page.waitForLoadState("load");
  await dark.check({ force: true });
  await page.reload();
  await expect(dark).toBeChecked();
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
});

test("a pause reaches the EA, its terminal is listed, and a decisions file can be downloaded", async ({
  strictPage: page,
}) => {
  const { key } = await issueKey();
  const ask = () =>
    fetch(`${baseUrl()}/api/scan`, {
      headers: { "X-API-Key": key, "X-Terminal": 'aaaaaaaa11111111; server="Broker-Demo"; account=demo' },
    });
  expect((await ask()).headers.get("x-signals-paused")).toBeNull();
  await openPortal(page, key, "/portal/signals");
  await page.getByLabel("Pause", { exact: true }).selectOption("EURUSD/H1");
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(page.getByText(/^Paused\. /)).toBeVisible();
  await expect(page.getByText("Your EA has not called since.")).toBeVisible();
  expect((await ask()).headers.get("x-signals-paused")).toMatch(/^EURUSD\/H1;since=/);
  await page.reload();
  await expect(page.getByText(/(?<!not )called since/)).toBeVisible();
  await page.goto(`${baseUrl()}/portal`);
  await page.getByRole("link", { name: "Pauses" }).click();
  await page.getByRole("button", { name: "End pause" }).click();
  await expect(doneNotice(page)).toBeVisible();
  expect((await ask()).headers.get("x-signals-paused")).toBeNull();

  await expect(async () => {
    await page.goto(`${baseUrl()}/portal/setup`);
    await expect(page.getByText("Broker-Demo (demo)")).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 20_000 });

  await page.goto(`${baseUrl()}/portal/signals/EURUSD/H1`);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "File for the Strategy Tester" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^decisions-EURUSD-H1-.*-simulated\.csv$/);
  expect(readFileSync(await file.path(), "utf8")).toContain(
    "seq,symbol,timeframe,ts,decided_at,valid_until,signal,confidence,expected_rr,committed",
  );
});
