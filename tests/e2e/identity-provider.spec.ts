import { expect, type Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { serviceOf } from "@/tests/e2e/service";
import { test } from "./accessible";
import { openAdministration } from "./admin-session";
import { alertNotice } from "./notices";
import { invitePerson } from "./people";
import { watchErrors } from "./portal-support";

const INSTALLATION = serviceOf("operator");
const { baseUrl: BASE } = INSTALLATION;
const EMAIL = "grace@staff.example";

/** Opens the administrators' sign-in page, goes to the identity provider and signs in there with this address. */
async function signInAtProvider(page: Page, email: string): Promise<void> {
  await page.goto(`${BASE}/admin`);
  await page.getByRole("link", { name: "Sign in by 127.0.0.1" }).click();
  await expect(page).toHaveTitle("Identity provider");
  await page.getByLabel("Work e-mail").fill(email);
  await page.getByRole("button", { name: "Continue" }).click();
}

test("an invited administrator joins and signs in with the identity provider and a second factor", async ({
  browser,
  page,
}) => {
  await openAdministration(page, INSTALLATION, "/admin/settings/people");
  await invitePerson(page, { name: "Grace Staff", email: EMAIL, role: "support" });

  const own = await browser.newContext();
  const staff = await own.newPage();
  const errors = watchErrors(staff);
  await signInAtProvider(staff, EMAIL.toUpperCase());
  await expect(staff.getByRole("heading", { name: "Welcome, Grace Staff" })).toBeVisible();
  const secret = (await staff.locator("p.font-mono").innerText()).replace(/\s/g, "");
  const code = new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: 30 });
  await staff.getByLabel("Code of your authenticator").fill(code.generate());
  await staff.getByRole("button", { name: "Accept and sign in" }).click();
  await expect(staff.getByRole("heading", { name: "Your recovery codes" })).toBeVisible();
  const [recovery = ""] = await staff.locator("main ol li").allInnerTexts();
  await staff.goto(`${BASE}/admin/subscribers`);
  await expect(staff.getByRole("heading", { level: 1, name: "Subscribers" })).toBeVisible();
  await staff.getByRole("button", { name: "Sign out" }).first().click();

  await signInAtProvider(staff, EMAIL);
  await expect(staff.getByLabel("Code of your authenticator")).toBeVisible();
  const answer = await staff.request.get(`${BASE}/admin/subscribers`);
  expect(answer.url(), "the provider alone opens no session").toContain("/admin/sign-in");
  // An authenticator's code works once, and the next one is up to half a minute away.
  await staff.getByLabel("Code of your authenticator").fill(recovery);
  await staff.getByRole("button", { name: "Sign in" }).click();
  await expect(staff.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  expect(errors).toEqual([]);
  await own.close();
});

test("a person without an invitation is refused after the identity provider confirmed them", async ({
  page,
}) => {
  await signInAtProvider(page, "mallory@staff.example");
  await expect(alertNotice(page)).toContainText("confirmed no administrator");
  await page.goto(`${BASE}/admin`);
  await expect(page.getByRole("heading", { level: 1, name: "Administrator" })).toBeVisible();
});
