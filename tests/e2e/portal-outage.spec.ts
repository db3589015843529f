import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { pickFreePort } from "@/db/embedded/cluster";
import { baseUrl, issueKey, openPortal, test } from "@/tests/e2e/portal-support";
import { type RunningServer, startProcess } from "@/tests/support/server";
import { outdatedPageNotice } from "./notices";

const live = (page: Page) => page.getByText("Live", { exact: true }).first();

function report(root: string, key: string, ticket: number): Promise<Response> {
  return fetch(`${root}/api/executions`, {
    method: "POST",
    headers: { "X-API-Key": key },
    body: JSON.stringify({ ticket, symbol: "EURUSD", timeframe: "H1", signal: "BUY" }),
  });
}

test("an open page survives failed refreshes and updates when the service answers again", async ({
  page,
}) => {
  const { key } = await issueKey();
  await openPortal(page, key);
  await expect(live(page)).toBeVisible();
  let nRefused = 0;
  const refuse = (answer: "refused" | "unavailable") =>
    page.route("**/portal", (route) => {
      nRefused++;
      if (answer === "refused") return route.abort("connectionrefused");
      return route.fulfill({ status: 503, contentType: "text/html", body: "<h1>Not now</h1>" });
    });
  for (const [index, answer] of (["refused", "unavailable"] as const).entries()) {
    await refuse(answer);
    const before = nRefused;
    await report(baseUrl(), key, index + 1);
    await expect.poll(() => nRefused, { message: answer }).toBeGreaterThan(before);
    await page.waitForTimeout(500);
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    expect(page.url()).toBe(`${baseUrl()}/portal`);
    await page.unroute("**/portal");
    await expect(page.getByText(`${index + 1} open now`)).toBeVisible({ timeout: 10_000 });
  }
});

test("an open page survives a stop and a kill of the service, and says meanwhile that it is out of date", async ({
  page,
}) => {
  test.setTimeout(240_000);
  const dataDir = mkdtempSync(join(tmpdir(), "signal-outage-"));
  chmodSync(dataDir, 0o755);
  const port = await pickFreePort();
  const root = `http://localhost:${port}`;
  const start = () =>
    startProcess(
      "server.mjs",
      { PORT: String(port), DATA_DIR: dataDir, MARKET_FEED: "off" },
      port,
      (output) => output.includes("is ready at"),
    );
  let server: RunningServer | null = await start();
  try {
    const { adminSecret } = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8"));
    const made = await fetch(`${root}/admin/keys`, {
      method: "POST",
      headers: { "X-Admin-Secret": adminSecret },
      body: JSON.stringify({ user_name: "Ada Trader", plan_tier: "pro" }),
    }).then((answer) => answer.json());
    await page.goto(`${root}/login`);
    await page.getByLabel("API key").fill(made.api_key);
    await page.getByRole("button", { name: "Sign in with the key" }).click();
    await expect(live(page)).toBeVisible();
    await page.evaluate(() => Reflect.set(window, "isSamePage", true));

    for (const [round, ending] of (["stop", "kill"] as const).entries()) {
      // A report just before the stop: its refresh finds no service.
      await report(root, made.api_key, 2 * round + 1);
      await server[ending]();
      server = null;
      await expect(outdatedPageNotice(page)).toBeVisible({ timeout: 30_000 });
      await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
      server = await start();
      await report(root, made.api_key, 2 * round + 2);
      await expect(page.getByText(`${2 * round + 2} open now`)).toBeVisible({ timeout: 45_000 });
      await expect(outdatedPageNotice(page)).toHaveCount(0);
      expect(await page.evaluate(() => Reflect.get(window, "isSamePage"))).toBe(true);
    }
  } finally {
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("a link navigates while a refresh is unanswered or was refused", async ({ page }) => {
  const { key } = await issueKey();
  await openPortal(page, key);
  await expect(live(page)).toBeVisible();
  let nHeld = 0;
  for (const hold of ["unanswered", "refused"] as const) {
    await page.route("**/portal", (route) => {
      nHeld++;
      return hold === "refused" ? route.abort("connectionrefused") : undefined;
    });
    const before = nHeld;
    await report(baseUrl(), key, hold === "refused" ? 2 : 1);
    await expect.poll(() => nHeld, { timeout: 15_000 }).toBeGreaterThan(before);
    await page
      .getByRole("navigation", { name: "Portal", exact: true })
      .getByRole("link", { name: "Key" })
      .click();
    await expect(page.getByRole("heading", { level: 1, name: "Key" })).toBeVisible({ timeout: 15_000 });
    await page.unroute("**/portal");
    await page.goto(`${baseUrl()}/portal`);
    await expect(live(page)).toBeVisible();
  }
});
