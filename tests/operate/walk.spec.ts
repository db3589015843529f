import { expect, type Page, test } from "@playwright/test";
import { sitemapPaths } from "@/app/pages";
import { watchErrors } from "@/tests/e2e/portal-support";

/** WALK_KEY is a key of the service, for a host name that only the browser can resolve. Without it a test creates a key. */
const { WALK_ADMIN_SECRET: SECRET = "", WALK_KEY } = process.env;
const NAME = "A person of the walk";

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

test("a visitor reads every public page", async ({ page, baseURL }) => {
  test.setTimeout(180_000);
  const errors = watchErrors(page);
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(baseURL ?? "").origin) elsewhere.push(request.url());
  });
  const refused: string[] = [];
  for (const path of sitemapPaths()) {
    const answer = await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 }), path).toHaveCount(1);
    if (answer?.status() !== 200) refused.push(`${path}: ${answer?.status()}`);
  }
  expect({ refused, elsewhere, errors }).toEqual({ refused: [], elsewhere: [], errors: [] });
});

test("a subscriber signs in by key, gets the stream of live updates and signs out", async ({
  page,
  request,
}) => {
  const errors = watchErrors(page);
  const headers = { "X-Admin-Secret": SECRET };
  const makeKey = async () => {
    const made = await request.post("/admin/keys", { headers, data: { user_name: NAME, plan_tier: "pro" } });
    return (await made.json()).api_key;
  };
  await page.goto("/login");
  await page.getByLabel("API key").fill(WALK_KEY ?? (await makeKey()));
  const news = page.waitForResponse((answer) => answer.url().endsWith("/portal/live"));
  await page.getByRole("button", { name: "Sign in with the key" }).click();
  await expect(heading(page, "Overview")).toBeVisible();
  const live = await news;
  expect([live.status(), live.headers()["content-type"]]).toEqual([
    200,
    expect.stringContaining("text/event-stream"),
  ]);
  for (const path of ["/portal/signals", "/portal/executions", "/portal/key", "/portal/setup"]) {
    expect((await page.goto(path))?.status(), path).toBe(200);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
  await page.getByRole("button", { name: "Sign out" }).first().click();
  await expect(heading(page, "Sign in")).toBeVisible();
  await page.goto("/portal");
  await expect(heading(page, "Sign in")).toBeVisible();
  expect(errors).toEqual([]);
});

test("an administrator signs in, creates a subscriber, revokes the key and signs out", async ({ page }) => {
  const errors = watchErrors(page);
  await page.goto("/admin");
  await page.getByLabel("Administrator secret").fill(SECRET);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(heading(page, "Overview")).toBeVisible();
  for (const path of ["/admin/signals", "/admin/payments", "/admin/operations", "/admin/settings"]) {
    expect((await page.goto(path))?.status(), path).toBe(200);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
  await page.goto("/admin/subscribers/new");
  await page.getByLabel("Name").fill(NAME);
  await page.getByLabel("No end date").check();
  await page.getByRole("button", { name: "Create and show the key" }).click();
  await expect(page.getByRole("heading", { name: "The new key" })).toBeVisible();
  await page.getByLabel("I have saved it").check();
  await page.getByRole("link", { name: "Open subscriber" }).click();
  await expect(heading(page, NAME)).toBeVisible();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke the key" }).click();
  await expect(page.getByText("The key is revoked.")).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).first().click();
  await expect(heading(page, "Administrator")).toBeVisible();
  expect(errors).toEqual([]);
});
