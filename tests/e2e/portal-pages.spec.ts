import { randomUUID } from "node:crypto";
import { type Browser, type BrowserContext, expect, type Page } from "@playwright/test";
import { reportPositionHistory } from "@/tests/support/report-executions";
import { expectAccessibleInAllLooks } from "./accessible";
import { baseUrl, issueKey, openPortal, PORTAL_PAGES, sendKey, test, watchErrors } from "./portal-support";

/** Pages on which a new subscriber sees an empty state. */
const EMPTY_PAGES = [
  "/portal",
  "/portal/signals",
  "/portal/executions",
  "/portal/executions/list",
  "/portal/record",
  "/portal/key",
  "/portal/payments",
  "/portal/setup",
] as const;
const LOGIN_PAGES = ["/login?error=key_invalid", "/login/sent", "/login/confirm?token=unknown"] as const;

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;
const NOBODY: State = { cookies: [], origins: [] };
const keys = { full: "", empty: "" };

test.beforeAll(async ({ browser }) => {
  // The longest accepted name, without a break opportunity.
  const full = await issueKey({
    user_name: "W".repeat(120),
    // Each worker that runs tests of this file makes a subscription.
    email: `full-${randomUUID()}@example.test`,
    rate_limit_per_min: 100_000,
  });
  await reportPositionHistory({ baseUrl: baseUrl(), key: full.key, count: 200, now: new Date() });
  await fetch(`${baseUrl()}/api/executions`, {
    method: "POST",
    headers: { "X-API-Key": full.key },
    body: '{"ticket": 5, "symbol": "EURUSD", "timeframe": "H1", "signal": "HOLD"}',
  });
  keys.full = full.key;
  keys.empty = (await issueKey({ plan_tier: "basic" })).key;
  signedIn.full = await signedInAs(browser, keys.full);
  signedIn.empty = await signedInAs(browser, keys.empty);
});

const signedIn = { full: NOBODY, empty: NOBODY };

async function signedInAs(browser: Browser, key: string): Promise<State> {
  const context = await browser.newContext();
  await sendKey(context.request, key);
  const state = await context.storageState();
  await context.close();
  return state;
}

test.describe("portal pages", () => {
  // These tests change nothing, so any worker may run any page.
  test.describe.configure({ mode: "parallel" });

  for (const path of LOGIN_PAGES)
    test(`${path} is accessible and fits at 1280 px in light and at 360 px in dark colours`, async ({
      lookedAt: page,
    }) => {
      const errors = watchErrors(page);
      await expectAccessibleInAllLooks(page, () => load(page, path));
      expect(errors).toEqual([]);
    });
  for (const path of PORTAL_PAGES)
    test(`${path} is accessible and fits at 1280 px in light and at 360 px in dark colours`, async ({
      lookedAt: page,
    }) => {
      const errors = watchErrors(page);
      await page.context().addCookies(signedIn.full.cookies);
      await expectAccessibleInAllLooks(page, () => load(page, path));
      expect(errors).toEqual([]);
    });
  for (const path of EMPTY_PAGES)
    test(`${path} without data is accessible and fits at 1280 px in light and at 360 px in dark colours`, async ({
      lookedAt: page,
    }) => {
      const errors = watchErrors(page);
      await page.context().addCookies(signedIn.empty.cookies);
      await expectAccessibleInAllLooks(page, () => load(page, path));
      expect(errors).toEqual([]);
    });
  test("a position with its chart is accessible and fits at 1280 px in light and at 360 px in dark colours", async ({
    lookedAt: page,
  }) => {
    const errors = watchErrors(page);
    await page.context().addCookies(signedIn.full.cookies);
    await load(page, "/portal/executions/list");
    const position = page.locator("a[href^='/portal/executions/']:visible").filter({ hasText: /^[A-Z]{6}/ });
    const path = (await position.first().getAttribute("href")) ?? "";
    await expectAccessibleInAllLooks(page, async () => {
      await load(page, path);
      await page.getByRole("application").focus();
      await expect(page.getByRole("application").locator("canvas").first()).toBeVisible();
    });
    expect(errors).toEqual([]);
  });
  test("the key rotation dialog is accessible and fits at 1280 px in light and at 360 px in dark colours", async ({
    lookedAt: page,
  }) => {
    const errors = watchErrors(page);
    await page.context().addCookies(signedIn.full.cookies);
    await expectAccessibleInAllLooks(page, async () => {
      await load(page, "/portal/key");
      await page.getByRole("button", { name: "Rotate key" }).click();
    });
    expect(errors).toEqual([]);
  });
});

test("an account without positions shows an empty state", async ({ page }) => {
  await page.context().addCookies(signedIn.empty.cookies);
  await page.goto(`${baseUrl()}/portal/executions`);
  await expect(page.getByText(/^No position/)).toBeVisible();
});

test("a list page beyond the last one says so and links to the last one", async ({ page }) => {
  await page.context().addCookies(signedIn.full.cookies);
  for (const list of ["/portal/executions/list", "/portal/signals/history?no_trade=true"]) {
    await page.goto(`${baseUrl()}${list}${list.includes("?") ? "&" : "?"}page=9999`);
    await expect(page.getByText("There is no page 9,999")).toBeVisible();
    await expect(page.getByText("No position reported yet")).toHaveCount(0);
    await page.getByRole("link", { name: "Last page" }).click();
    await expect(page.getByRole("link", { name: "Previous" })).toBeVisible();
  }
});

test("the results by hour name no best hour", async ({ page }) => {
  await page.context().addCookies(signedIn.full.cookies);
  await page.goto(`${baseUrl()}/portal/executions`);
  await expect(
    page.locator("figcaption", { hasText: /^By hour of the close, .*: \d+ of \d+ hours? in profit\.$/ }),
  ).toBeVisible();
});

test("the setup page offers the EA of each MetaTrader version", async ({ page }) => {
  await page.context().addCookies(signedIn.empty.cookies);
  await page.goto(`${baseUrl()}/portal/setup`);
  for (const file of ["SignalFollower.mq5", "SignalFollower.mq4"])
    await expect(page.getByRole("link", { name: file })).toBeVisible();
});

test("signals are filtered by a confidence in percent", async ({ page }) => {
  await page.context().addCookies(signedIn.full.cookies);
  await page.goto(`${baseUrl()}/portal/signals/history`);
  await page.getByLabel("Confidence from, %").fill("99 %");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("No signal matches")).toBeVisible();
  await expect(page.getByLabel("Confidence from, %")).toHaveValue("99");
});

test("a candle chart responds to arrow keys and has the size of its static image", async ({ browser }) => {
  const path = "/portal/signals/EURUSD/H1";
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const errors = watchErrors(page);
  await openPortal(page, keys.full, path);
  const chart = page.getByRole("application", { name: /^EURUSD H1 candles/ });
  await chart.focus();
  await expect(chart.locator("canvas").first()).toBeVisible();
  const figure = page.locator("figure").filter({ has: chart });
  const readout = figure.locator("[aria-live]");
  const newest = await readout.textContent();
  await chart.focus();
  for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowLeft");
  await expect(readout).not.toHaveText(newest ?? "");
  await expect(readout).toHaveText(/^\d{1,2} \w{3} \d{4}, \d\d:\d\d O [\d.]+ H [\d.]+ L [\d.]+ C [\d.]+/);
  const drawn = await figure.boundingBox();
  expect(errors).toEqual([]);
  const still = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    javaScriptEnabled: false,
    storageState: await context.storageState(),
  });
  const plain = await still.newPage();
  await plain.goto(`${baseUrl()}${path}`);
  const picture = plain.getByRole("img", { name: /^EURUSD H1, \d+ candles/ });
  await expect(picture).toBeVisible();
  const box = await plain.locator("figure").filter({ has: picture }).boundingBox();
  expect(box?.height).toBeCloseTo(drawn?.height ?? 0, 0);
  await still.close();
  await context.close();
});

test("a tooltip at the edge of a phone screen is wide enough to read", async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await openPortal(page, keys.full, "/portal/executions");
  await page.getByRole("button", { name: "About Win rate" }).click();
  const box = await page.getByText(/Wilson/).boundingBox();
  expect(box?.width).toBeGreaterThan(240);
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
  await context.close();
});

test("the bottom bar of the phone layout covers no focused control on a screen of 320 x 256 px", async ({
  browser,
}) => {
  // A wide screen at 400 % zoom.
  const context = await browser.newContext({ viewport: { width: 320, height: 256 } });
  const page = await context.newPage();
  await sendKey(page.request, keys.full);
  for (const path of ["/portal/settings", "/portal/executions/list"]) {
    await page.goto(baseUrl() + path);
    // At this height the bar is at the end of the page and covers nothing.
    await expect(page.getByRole("navigation", { name: "Portal, short" })).not.toBeInViewport();
    const covered: string[] = [];
    for (let i = 0; i < 25; i++) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(coveredFocus);
      if (name !== null) covered.push(name);
    }
    expect(covered, path).toEqual([]);
  }
  await context.close();
});

test("a printed track record is light, as wide as the paper at most, and without controls", async ({
  browser,
}) => {
  const context = await browser.newContext({ viewport: { width: 794, height: 1_123 }, colorScheme: "dark" });
  const page = await context.newPage();
  await openPortal(page, keys.full, "/portal/executions");
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("heading", { name: "Cumulative closed P/L" })).toBeVisible();
  await expect(page.getByRole("navigation")).toHaveCount(0);
  await expect(page.getByRole("button")).toHaveCount(0);
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("light");
  const months = page.getByRole("table", { name: /^Closed positions by month/ });
  const box = await months.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(794);
  await context.close();
});

async function load(page: Page, path: string): Promise<void> {
  const response = await page.goto(baseUrl() + path);
  expect(response?.status(), path).toBe(200);
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
}

/** Runs in the page: the name of the focused control when something covers its middle. */
function coveredFocus(): string | null {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return null;
  const { left, width, top, height } = focused.getBoundingClientRect();
  const over = document.elementFromPoint(left + Math.min(width / 2, 20), top + height / 2);
  if (over && (focused.contains(over) || over.contains(focused))) return null;
  return focused.textContent || focused.getAttribute("name") || focused.tagName;
}
