import { type APIRequestContext, type BrowserContext, expect, type Page } from "@playwright/test";
import { sitemapPaths } from "@/app/pages";
import { serviceOf } from "@/tests/e2e/service";
import { expectAccessibleInAllLooks, test, watchPage } from "./accessible";

const { baseUrl: BASE } = serviceOf("pages");
/** Pages with a parameter, with existing values, and one unknown page. */
const EXAMPLES = ["/record/EURUSD/H1", "/models/1", "/docs/search?q=limit", "/no-such-page"];
const PAGES = [...sitemapPaths(), ...EXAMPLES];

/** Collects errors that no public page may have, external requests included. */
function watch(page: Page): string[] {
  const trouble = watchPage(page);
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (["http:", "https:"].includes(url.protocol) && url.origin !== new URL(BASE).origin)
      trouble.push(`outside: ${url}`);
  });
  return trouble;
}

test.describe("public pages", () => {
  // These tests change nothing, so any worker may run any page.
  test.describe.configure({ mode: "parallel" });
  for (const path of PAGES) {
    test(`${path} is accessible, fits at 1280 px in light and at 360 px in dark colours, and makes no external request`, async ({
      lookedAt: page,
    }) => {
      const trouble = watch(page);
      await expectAccessibleInAllLooks(page, async () => {
        await page.goto(BASE + path);
        await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      });
      expect(trouble).toEqual([]);
    });
  }
});

/** Addresses of this site that a page links to, from the server's HTML. */
const linksIn = (html: string): string[] => [
  ...new Set(
    [...html.matchAll(/<a [^>]*?href="(\/[^"]*)"/g)].map(([, href]) => href!.replaceAll("&amp;", "&")),
  ),
];

test("every link on public pages leads to an existing page and section", async ({ request }) => {
  const kept = new Map<string, { status: number; html: string }>();
  const read = async (path: string) => {
    const known = kept.get(path);
    if (known) return known;
    const answer = await request.get(BASE + path);
    const page = { status: answer.status(), html: await answer.text() };
    kept.set(path, page);
    return page;
  };
  const dead: string[] = [];
  let sections = 0;
  for (const path of PAGES)
    for (const href of linksIn((await read(path)).html)) {
      const [target = "", id] = href.split("#");
      const { status, html } = await read(target);
      if (status >= 400) dead.push(`${path}: ${status} ${href}`);
      else if (id !== undefined) {
        sections++;
        if (!html.includes(` id="${id}"`)) dead.push(`${path}: ${href}`);
      }
    }
  expect(kept.size).toBeGreaterThan(PAGES.length + 5);
  expect(sections).toBeGreaterThan(20);
  expect(dead).toEqual([]);
});

test("the landing page shows the result of all slots below a notice that it is simulated", async ({
  page,
  request,
}) => {
  await waitForRecord(request);
  await page.goto(BASE);
  const notice = page.getByText(/committed in time/).first();
  await expect(notice).toBeVisible();
  const result = page.getByLabel("Result so far");
  await expect(result.getByText("Win rate")).toBeVisible();
  const [above, below] = [await notice.boundingBox(), await result.boundingBox()];
  expect(above?.y).toBeLessThan(below?.y ?? 0);
  const { total } = await (await request.get(`${BASE}/api/public/record`)).json();
  await expect(result).toContainText(`n = ${total.model.n.toLocaleString("en-US")}`);
  await expect(page.getByLabel("Figures of the service").getByText("Active models")).toBeVisible();
  await expect(page.getByRole("heading", { level: 2, name: "Plans" })).toBeVisible();
});

test("each of the latest signals on the landing page fits on one line", async ({ page }) => {
  await page.setViewportSize({ width: 1_280, height: 900 });
  await page.goto(`${BASE}/`);
  const lines = page.getByRole("listitem").filter({ has: page.locator("time") });
  await expect(lines.first()).toBeVisible();
  const heights = await lines.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  expect(Math.max(...heights)).toBeLessThan(56);
});

test("the latest trades can be sorted without JavaScript", async ({ browser, request }) => {
  await waitForRecord(request);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${BASE}/record`);
  const trades = page.getByRole("table", { name: /^The last \d+ trades$/ });
  const results = async () => {
    // The page arrives in parts.
    await page.waitForLoadState();
    const texts = await trades.locator("tbody td:last-child").allTextContents();
    return texts.map((text) => Number.parseFloat(text.replace("−", "-")));
  };
  expect((await results()).length).toBe(20);
  await trades.getByRole("link", { name: /^Result/ }).click();
  const best = await results();
  expect(best).toEqual(best.toSorted((a, b) => b - a));
  await trades.getByRole("link", { name: /^Result/ }).click();
  const worst = await results();
  expect(worst).toEqual(worst.toSorted((a, b) => a - b));
  await context.close();
});

test("the status page, the feed and the badge agree with /api/health", async ({ page, request }) => {
  const health = await (await request.get(`${BASE}/api/health`)).json();
  expect(health.status).toBe("ok");
  await page.goto(`${BASE}/status`);
  // On a busy machine a component may be slow and named on the page while signals still flow.
  await expect(page.getByRole("heading", { name: /^Signals are delivered/ })).toBeVisible();
  await expect(page.getByRole("img", { name: /^Signal delivery, last 90 days: / })).toBeVisible();
  const feed = await (await request.get(`${BASE}/status/feed.json`)).json();
  expect(feed._status.status).toBe("ok");
  expect(feed.version).toBe("https://jsonfeed.org/version/1.1");
  expect(await (await request.get(`${BASE}/status/badge.svg`)).text()).toContain("operational");
});

/** Waits until the public record has signals, because a new installation enters its history in the background. */
async function waitForRecord(request: APIRequestContext): Promise<void> {
  await expect
    .poll(
      async () => {
        const { items } = await (
          await request.get(`${BASE}/api/public/signals?symbol=XAUUSD&tf_code=H1`)
        ).json();
        return items.length;
      },
      { timeout: 45_000, intervals: [1_000] },
    )
    .toBe(200);
}

test("a visitor sorts and filters the record, opens a slot, pages through its signals and downloads them", async ({
  page,
  request,
}) => {
  await waitForRecord(request);
  await page.goto(`${BASE}/record`);
  const slots = page.getByRole("table", { name: "The record of every slot" });
  await slots.getByRole("link", { name: /^Total/ }).click();
  await expect(slots.getByRole("columnheader", { name: /^Total/ })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  const totals = await slots.locator("tbody td:nth-child(5)").allTextContents();
  // A slot without a trade shows a dash, at the end.
  const known = totals.filter((text) => !text.startsWith("–"));
  expect(totals.slice(0, known.length)).toEqual(known);
  const amounts = known.map((text) => Number.parseFloat(text.replace("−", "-").replace(/[+,]/g, "")));
  expect(amounts.length).toBeGreaterThan(1);
  expect(amounts).not.toContain(Number.NaN);
  expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));

  // Which slots have trades depends on the simulated market; the first of this order has.
  const slot = (await slots.getByRole("rowheader").first().getByRole("link").textContent()) ?? "";
  const [symbol = "", timeframe = ""] = slot.split(" ");
  await page.getByLabel("Symbol").selectOption(symbol);
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page).toHaveURL(new RegExp(`symbol=${symbol}`));
  const ofSymbol = new RegExp(`^${symbol} `);
  await expect(slots.getByRole("rowheader")).toHaveText([ofSymbol, ofSymbol, ofSymbol]);
  await slots.getByRole("link", { name: slot, exact: true }).click();

  await expect(page.getByRole("heading", { level: 1, name: slot })).toBeVisible();
  const results = page.getByRole("table", { name: /class frequencies/ });
  // A signal may arrive between the two requests.
  await expect(async () => {
    await page.reload();
    const answer = await request.get(`${BASE}/api/public/record?symbol=${symbol}&tf_code=${timeframe}`);
    const { n } = (await answer.json()).items[0].model;
    expect(await results.textContent()).toContain(`n\u00a0=\u00a0${n.toLocaleString("en-US")}`);
  }).toPass({ timeout: 20_000 });
  const resolved = page.getByRole("table", { name: /^Resolved signals/ });
  const newest = await resolved.getByRole("rowheader").first().textContent();
  await page
    .getByRole("navigation", { name: "Pages of signals" })
    .getByRole("link", { name: "Older" })
    .click();
  await expect(page).toHaveURL(/after=/);
  const older = await resolved.getByRole("rowheader").first().textContent();
  expect(String(older) < String(newest), `${older} is older than ${newest}`).toBe(true);

  const href = await page.getByRole("link", { name: "CSV" }).getAttribute("href");
  const csv = await (await request.get(BASE + href)).text();
  expect(csv.split("\r\n")[0]).toContain("result_r");
  expect(csv.split("\r\n").length).toBeGreaterThan(100);
});

test("a record without trades says so instead of drawing a flat curve", async ({ page, request }) => {
  await waitForRecord(request);
  const { items } = await (await request.get(`${BASE}/api/public/record`)).json();
  const silent = items.find(
    (item: { model: { n: number }; forecasts: { n: number } }) => item.model.n === 0 && item.forecasts.n > 0,
  );
  expect(silent, "a slot with nothing but NO TRADE").toBeDefined();
  await page.goto(`${BASE}/record?symbol=${silent.symbol}&tf=${silent.tf_code}`);
  await expect(page.getByText("No trades", { exact: true })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Equity in R" })).toHaveCount(0);
  await page.goto(`${BASE}/record`);
  await expect(page.getByRole("heading", { name: "Equity in R" })).toBeVisible();
});

test("the browser check verifies a signal and reports a tampered entry", async ({ page, request }) => {
  await waitForRecord(request);
  await page.goto(`${BASE}/verify`);
  const steps = page.locator("[data-check-steps] li");
  await page.getByRole("button", { name: "Check the newest resolved signal" }).click();
  await expect(steps.nth(3)).toBeVisible();
  await expect(steps.last()).toHaveAttribute("data-state", "holds");
  await expect(page.locator("[data-check-steps] [data-state=fails]")).toHaveCount(0);
  await expect(steps.first()).toHaveAttribute("data-state", "holds");

  await page.route("**/api/public/ledger/entries?*", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace("confidence", "konfidence"),
    });
  });
  await page.getByRole("button", { name: "Check the newest resolved signal" }).click();
  await expect(page.locator("[data-check-steps] [data-state=fails]")).toContainText(/entry \d+/);
});

test("the server renders the chosen theme on the next page", async ({ page }) => {
  await page.goto(BASE);
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  const answer = await page.request.get(`${BASE}/docs`);
  expect(await answer.text()).toMatch(/<html[^>]* data-theme="dark"/);
  await page.goto(`${BASE}/docs`);
  await page.getByRole("radio", { name: "As this device" }).check({ force: true });
  expect(await (await page.request.get(`${BASE}/docs`)).text()).not.toMatch(/<html[^>]* data-theme/);
});

test("the keyboard reaches past the navigation, opens a tooltip and closes it", async ({ page }) => {
  await page.goto(BASE);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();
  const about = page.getByRole("button", { name: "About Active models" });
  await about.focus();
  await page.keyboard.press("Enter");
  const explanation = page.getByText(/per symbol and timeframe/).last();
  await expect(explanation).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(explanation).toBeHidden();
  await expect(about).toBeFocused();
});

test("the copy button copies a command exactly as shown", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${BASE}/docs`);
  const block = page.locator("figure:visible").filter({ hasText: "expand=validity" });
  await block.getByRole("button", { name: /Copy/ }).click();
  await expect(block.getByText("Copied")).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await block.locator("code").textContent());
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });
  test("charts and the menu work without JavaScript", async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(BASE);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("img", { name: /^All slots together/ }).first()).toBeVisible();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation", { name: "Site menu" }).getByRole("link", { name: "Status" }).click();
    await expect(page).toHaveURL(`${BASE}/status`);
  });

  for (const path of ["/no-such-page", "/record/NOPE/H1", "/models/999999", "/r/no-such-token"])
    test(`${path} is a 404 page with a link to the front page`, async ({ page }) => {
      expect((await page.goto(BASE + path))?.status()).toBe(404);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await page.getByRole("link", { name: "Front page" }).click();
      await expect(page).toHaveURL(`${BASE}/`);
    });
});

test("the API reference lists every operation, and the scan with its call, example and errors", async ({
  page,
  request,
}) => {
  const document = await (await request.get(`${BASE}/openapi.json`)).json();
  await page.goto(`${BASE}/docs/reference`);
  for (const operations of Object.values(document.paths) as Record<string, { operationId: string }>[]) {
    for (const { operationId } of Object.values(operations))
      await expect(page.locator(`h3[id="${operationId}"]`)).toHaveCount(1);
  }
  const scan = page.locator("section[aria-labelledby=scan]");
  await expect(scan.getByText("X-API-Key: $API_KEY")).toBeVisible();
  await expect(scan.getByText('"prob_buy": 0.523871')).toBeVisible();
  await expect(scan.getByRole("link", { name: "key_expired" })).toHaveAttribute(
    "href",
    "/docs/errors#key_expired",
  );
});

test("the content security policy forbids external and inline scripts", async ({ request }) => {
  for (const path of ["/", "/login", "/portal", "/admin/sign-in"]) {
    const page = await request.get(BASE + path);
    const headers = page.headers();
    expect(headers["content-security-policy"], path).toContain("script-src 'self';");
    expect(headers["content-security-policy"], path).toContain("style-src 'self';");
    expect(headers["x-content-type-options"], path).toBe("nosniff");
    const html = await page.text();
    const scripts = html.match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length, path).toBeGreaterThan(0);
    expect(
      scripts.filter((script) => !/ src="\/[^/]/.test(script)),
      path,
    ).toEqual([]);
    expect(html, path).not.toMatch(/<style\b| style="| on[a-z]+="/);
  }
});

test("robots.txt, the sitemap and security.txt are valid", async ({ request }) => {
  const robots = await (await request.get(`${BASE}/robots.txt`)).text();
  expect(robots).toContain("Disallow: /portal");
  const sitemap = await (await request.get(`${BASE}/sitemap.xml`)).text();
  for (const [, url] of sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)) {
    expect((await request.get(url ?? "")).status(), url).toBe(200);
  }
  const security = await (await request.get(`${BASE}/.well-known/security.txt`)).text();
  // Without a configured sender address, the contact is the page /security.
  expect(security).toMatch(/^Contact: \S+\/security$/m);
  const expires = new Date(/^Expires: (.+)$/m.exec(security)?.[1] ?? "");
  expect(expires.getTime()).toBeGreaterThan(Date.now());
});

/** Kilobytes of script that a page loads, compressed. */
async function scriptKilobytes(context: BrowserContext, path: string): Promise<number> {
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send("Network.enable");
  const scripts = new Set<string>();
  let bytes = 0;
  client.on("Network.responseReceived", ({ requestId, type }) => {
    if (type === "Script") scripts.add(requestId);
  });
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await page.goto(BASE + path, { waitUntil: "networkidle" });
  await page.close();
  return bytes / 1024;
}

test("seven public pages load at most 8 kB of JavaScript each", async ({ context }) => {
  for (const path of [
    "/",
    "/record",
    "/record/EURUSD/H1",
    "/verify",
    "/status",
    "/docs",
    "/docs/reference",
  ]) {
    const kilobytes = await scriptKilobytes(context, path);
    console.log(`${path}: ${kilobytes.toFixed(1)} kB of JavaScript as transferred`);
    expect(kilobytes).toBeLessThan(path === "/verify" ? 8 : 5);
  }
});

test("a visitor opens a demo portal with one click and gets a demo key with another", async ({
  page,
  request,
}) => {
  await page.goto(BASE);
  await page.getByRole("button", { name: "Try it now with a demo key" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  // Late figures appear while the page is open.
  await expect(page.getByText(/^\d+ open now$/)).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText(/\b(23|24) h left/).first()).toBeVisible();
  await expect(page.getByText("Renew")).toHaveCount(0);
  // Earlier pages must not use up the one-time key.
  await page.goto(`${BASE}/portal/record`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.goto(`${BASE}/portal/key`);
  await expect(page.getByText("Calls of the simulated EA are not.")).toBeVisible();
  await page.goto(`${BASE}/portal`);
  await page.getByRole("link", { name: "Show my key" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Your demo key" })).toBeVisible();
  const line = await page.locator('[data-language="curl"] code').innerText();
  const key = /X-API-Key: ([0-9a-f-]{36})/.exec(line)?.[1] ?? "";
  const answer = await request.get(`${BASE}/api/scan`, { headers: { "X-API-Key": key } });
  expect(answer.status()).toBe(200);
  expect((await answer.json()).items.length).toBeGreaterThan(0);
  await page.goto(`${BASE}/portal/key`);
  await expect(page.getByRole("table", { name: /^Recent requests/ })).toContainText("/api/scan");
  // The key is shown only once.
  await page.goto(`${BASE}/portal/key/new`);
  await expect(page.getByText(key)).toHaveCount(0);
  // Another click opens the same account, not a new one.
  await page.goto(BASE);
  await page.getByRole("button", { name: "Try it now with a demo key" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await page.goto(`${BASE}/portal/key`);
  await expect(page.getByRole("table", { name: /^Recent requests/ })).toContainText("/api/scan");
});

test("the chosen language applies to every example of /docs and is kept after a reload", async ({ page }) => {
  await page.goto(`${BASE}/docs`);
  const shown = (language: string) => page.locator(`[data-language="${language}"]`).filter({ visible: true });
  expect(await shown("curl").count()).toBe(5);
  await page.getByRole("radio", { name: "PowerShell" }).first().check({ force: true });
  expect(await shown("powershell").count()).toBe(5);
  expect(await shown("curl").count()).toBe(0);
  await page.reload();
  expect(await shown("powershell").count()).toBe(5);
});
