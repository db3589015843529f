import { type APIRequestContext, expect, type Page } from "@playwright/test";
import type { RunningService } from "./service";

type Installation = Pick<RunningService, "baseUrl" | "adminSecret">;

/**
 * Signs in with the administrator secret by the request that the form sends. Pages of the same browser context are then
 * signed in.
 */
export async function sendAdminSecret(
  request: APIRequestContext,
  { baseUrl, adminSecret }: Installation,
): Promise<void> {
  const answer = await request.post(`${baseUrl}/admin/sign-in/enter`, {
    form: { secret: adminSecret },
    headers: { Origin: baseUrl },
    maxRedirects: 0,
  });
  expect([answer.status(), answer.headers().location]).toEqual([303, "/admin"]);
}

/** Signs in as administrator, without the sign-in page, and opens a page of the administration. */
export async function openAdministration(
  page: Page,
  installation: Installation,
  path: string,
): Promise<void> {
  await sendAdminSecret(page.request, installation);
  await page.goto(installation.baseUrl + path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}
