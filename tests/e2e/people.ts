import { expect, type Page } from "@playwright/test";
import { doneNotice } from "./notices";

/** Invites a person on the page People. The list above the form has a field Role for each person. */
export async function invitePerson(
  page: Page,
  { name, email, role }: { name: string; email: string; role: "owner" | "support" | "reader" },
): Promise<void> {
  const send = page.getByRole("button", { name: "Send the invitation" });
  const form = page.locator("form").filter({ has: send });
  await form.getByLabel("Name").fill(name);
  await form.getByLabel("E-mail").fill(email);
  await form.getByLabel("Role").selectOption(role);
  await send.click();
  await expect(doneNotice(page)).toBeVisible();
}
