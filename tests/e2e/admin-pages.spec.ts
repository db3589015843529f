import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BrowserContext, expect } from "@playwright/test";
import { serviceOf } from "@/tests/e2e/service";
import { expectAccessibleInAllLooks, test, watchPage } from "./accessible";
import { sendAdminSecret } from "./admin-session";
import { deliverPayment, issueKey, revokeKey } from "./portal-support";

const INSTALLATION = serviceOf("pages");
const { baseUrl: BASE } = INSTALLATION;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

let signedIn: Awaited<ReturnType<BrowserContext["storageState"]>>;

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext();
  await sendAdminSecret(context.request, INSTALLATION);
  signedIn = await context.storageState();
  await context.close();
  // Lists must cope with the longest accepted name without a break opportunity.
  const id = randomUUID().replaceAll("-", "");
  await issueKey({ user_name: "W".repeat(120), email: `${id}${"w".repeat(28)}@example.test` });
  const { keyId } = await issueKey({ email: `revoked-${id}@example.test` });
  await revokeKey(keyId);
  await deliverPayment(`paid-${id}@example.test`, id);
});

/** Pages shown only right after an action. */
const SHOWN_ONCE = ["/admin/subscribers/1/key", "/admin/recovery-codes"];
/** An unknown address, with its own test. */
const NOWHERE = "/admin/1";

/** Every page of the administration, found in the tree, so that new ones are included. */
function pagesOfArea(): string[] {
  const found = readdirSync(join(ROOT, "app/admin/(area)"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("page.tsx"))
    .map((file) =>
      dirname(file)
        .replaceAll(/\/?\([^)]*\)/g, "")
        .replace(/^\.$/, ""),
    )
    .map((path) =>
      path
        .replace("[symbol]/[tf]", "EURUSD/H1")
        .replace("plans/[name]", "plans/pro")
        .replace("texts/[name]", "texts/terms")
        .replace(/\[[^\]]*\]/g, "1"),
    );
  const paths = found.map((path) => (path === "" ? "/admin" : `/admin/${path}`)).sort();
  return paths.filter((path) => !SHOWN_ONCE.includes(path) && path !== NOWHERE);
}

const PAGES = [...pagesOfArea(), "/admin/subscribers?q=nobody-at-all", "/admin/search?q=a"];

test.describe("administration pages", () => {
  // These tests change nothing, so any worker may run any page.
  test.describe.configure({ mode: "parallel" });

  for (const path of PAGES) {
    test(`${path} is accessible and does not scroll sideways at 1280 px in light and at 360 px in dark colours`, async ({
      lookedAt: page,
    }) => {
      const trouble = watchPage(page);
      await page.context().addCookies(signedIn.cookies);
      await expectAccessibleInAllLooks(page, async () => {
        const response = await page.goto(BASE + path);
        expect(response?.status(), path).toBe(200);
        await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      });
      expect(trouble).toEqual([]);
    });
  }

  test("an unknown path below /admin shows the menu to browsers and JSON to programs", async ({ page }) => {
    await page.context().addCookies(signedIn.cookies);
    await expectAccessibleInAllLooks(page, async () => {
      expect((await page.goto(BASE + NOWHERE))?.status()).toBe(404);
      await expect(page.getByRole("heading", { level: 1, name: "Not found" })).toBeVisible();
      await expect(page.getByRole("link", { name: "Subscribers" }).first()).toBeVisible();
    });
    const plain = await page.request.get(BASE + NOWHERE, { headers: { Accept: "application/json" } });
    expect([plain.status(), (await plain.json()).code]).toEqual([404, "not_found"]);
  });

  test("lists fit the screen: no time is cut off on a phone, and the models fit beside the menu", async ({
    page,
  }) => {
    const trouble = watchPage(page);
    await page.context().addCookies(signedIn.cookies);
    await page.goto(`${BASE}/admin/models`);
    const models = page.getByRole("table", { name: "Models by slot" });
    expect(await models.evaluate(({ parentElement: box }) => box && box.scrollWidth - box.clientWidth)).toBe(
      0,
    );
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goto(`${BASE}/admin/operations/audit`);
    const times = page.getByRole("rowheader").locator("div");
    await expect(times.first()).toBeVisible();
    expect(
      await times.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length),
    ).toBe(0);
    expect(trouble).toEqual([]);
  });

  test("the sign-in page is accessible and does not scroll sideways at 1280 px in light and at 360 px in dark colours", async ({
    page,
  }) => {
    await expectAccessibleInAllLooks(page, async () => {
      await page.goto(`${BASE}/admin/sign-in?reason=ended`);
    });
  });
});
