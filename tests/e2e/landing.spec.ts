import { expect, test } from "@playwright/test";

test.beforeEach(({ page }) => {
  page.on("pageerror", (error) => {
    throw error;
  });
});

test("the landing page names the service", async ({ page }) => {
  await page.goto(process.env.E2E_BASE_URL ?? "");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});
