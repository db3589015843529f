import { createHmac, randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { serviceOf } from "@/tests/e2e/service";
import { test } from "./accessible";
import { openAdministration, sendAdminSecret } from "./admin-session";
import { doneNotice } from "./notices";

const INSTALLATION = serviceOf("operator");
const { baseUrl: BASE, adminSecret: SECRET } = INSTALLATION;
const MAX_CLICKS = 3;

/** Counts mouse clicks; typing and choosing in fields are not counted. */
async function countClicks(page: Page): Promise<{ n: number }> {
  const clicks = { n: 0 };
  await page.exposeFunction("clickWasMade", () => {
    clicks.n += 1;
  });
  await page.addInitScript(() => {
    document.addEventListener(
      "click",
      // Keyboard clicks have detail 0.
      (event) => event.isTrusted && event.detail > 0 && Reflect.get(window, "clickWasMade")(),
      true,
    );
  });
  return clicks;
}

async function makeSubscriber(page: Page): Promise<string> {
  const name = `Task ${randomUUID().slice(0, 8)}`;
  const answer = await page.request.post(`${BASE}/admin/keys`, {
    headers: { "X-Admin-Secret": SECRET },
    data: {
      user_name: name,
      plan_tier: "basic",
      email: `${name.replace(" ", "-").toLowerCase()}@example.test`,
      expires_at: new Date(Date.now() + 20 * 86_400_000).toISOString(),
    },
  });
  expect(answer.status()).toBe(201);
  return name;
}

/** Opens the search with one click, enters the words, and presses Enter when the first result appears. */
async function find(page: Page, words: string): Promise<void> {
  const field = page.getByRole("combobox", { name: /^Search people/ });
  // Before the page's script runs, a click follows the link to the search page.
  await expect(async () => {
    await page
      .getByRole("link", { name: /^Search/ })
      .first()
      .click({ timeout: 2_000 });
    await expect(field).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await field.fill(words);
  await expect(page.getByRole("option", { name: new RegExp(words, "i") }).first()).toBeVisible();
  await page.keyboard.press("Enter");
}

async function menu(page: Page, name: string): Promise<void> {
  await page
    .getByRole("navigation", { name: "Administration", exact: true })
    .getByRole("link", { name })
    .click();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
}
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();
const confirm = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name }).click();

interface Task {
  name: string;
  /** Creates the object of the task and returns its name. */
  prepare?: (page: Page) => Promise<string>;
  act: (page: Page, of: string) => Promise<void>;
  done: (page: Page, of: string) => Promise<void>;
}

const says = (text: string) => (page: Page) => expect(page.getByText(text).first()).toBeVisible();
const succeeds = (page: Page) => expect(doneNotice(page)).toBeVisible();

const TASKS: Task[] = [
  {
    name: "find a person",
    prepare: makeSubscriber,
    act: find,
    done: (page, name) => expect(page.getByRole("heading", { name })).toBeVisible(),
  },
  {
    name: "extend access",
    prepare: makeSubscriber,
    act: async (page, name) => {
      await find(page, name);
      await press(page, "+ 31 days");
    },
    done: succeeds,
  },
  {
    name: "suspend",
    prepare: makeSubscriber,
    act: async (page, name) => {
      await find(page, name);
      await press(page, "Suspend");
      await confirm(page, "Suspend the key");
    },
    done: succeeds,
  },
  {
    name: "rotate a key",
    prepare: makeSubscriber,
    act: async (page, name) => {
      await find(page, name);
      await press(page, "Rotate key");
      await confirm(page, "Rotate key");
    },
    done: (page) => expect(page.getByRole("heading", { name: "The new key" })).toBeVisible(),
  },
  {
    name: "approve a payment",
    prepare: async (page) => {
      const id = `task-${randomUUID()}`;
      const body = JSON.stringify({
        event: "payment.invoice_paid",
        data: {
          id,
          status: "paid",
          items: [{ productId: "no-such-product", name: "Something", quantity: 1, amount: 9 }],
          buyer: { name: "New Buyer", email: `buyer-${randomUUID()}@example.test` },
          paid_at: new Date().toISOString(),
        },
      });
      const answer = await page.request.post(`${BASE}/webhooks/payment`, {
        data: body,
        headers: {
          "x-signature": createHmac("sha256", "e2e-webhook-secret").update(body).digest("hex"),
          "Content-Type": "application/json",
        },
      });
      expect(answer.status(), await answer.text()).toBe(200);
      return id;
    },
    act: async (page, id) => {
      await find(page, id);
      await press(page, "Mark as reviewed");
    },
    done: says("Reviewed"),
  },
  {
    name: "send a mail again",
    prepare: makeSubscriber,
    act: async (page) => {
      await menu(page, "Mail");
      await page
        .getByRole("row")
        .filter({ hasText: "Access suspended" })
        .first()
        .getByRole("link")
        .first()
        .click();
      await press(page, "Send again");
    },
    done: succeeds,
  },
  {
    name: "announce to all",
    act: async (page) => {
      await find(page, "notice");
      await page.getByLabel("Subject").fill("A short pause on Sunday");
      await page.getByLabel("Text").fill("The service is updated on Sunday at 06:00 UTC.");
      await press(page, "Preview");
      await press(page, /^Send to /);
    },
    done: succeeds,
  },
  {
    name: "pause a slot",
    act: async (page) => {
      await menu(page, "Signals");
      await page.getByLabel("What").selectOption("GBPUSD/H4");
      await page.getByLabel("Reason, shown to subscribers").fill("The feed is wrong");
      await press(page, "Preview");
      await press(page, "Pause now");
    },
    done: says("GBPUSD H4"),
  },
  {
    name: "export the subscribers",
    act: async (page) => {
      await menu(page, "Subscribers");
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "CSV" }).click();
      expect((await download).suggestedFilename()).toMatch(/\.csv$/);
    },
    done: (page) => expect(page.getByRole("heading", { name: "Subscribers" })).toBeVisible(),
  },
  {
    name: "add a product",
    prepare: async () => `product-${randomUUID().slice(0, 8)}`,
    act: async (page, id) => {
      await find(page, "products");
      await page.getByLabel("Id of the product").fill(id);
      await press(page, "Preview");
      await press(page, /^Store it/);
    },
    done: (page, id) => expect(page.getByRole("link", { name: id })).toBeVisible(),
  },
];

test("each of ten common tasks takes at most three clicks from another administration page", async ({
  page,
}) => {
  test.setTimeout(240_000);
  const clicks = await countClicks(page);
  await sendAdminSecret(page.request, INSTALLATION);
  const taken: Record<string, number> = {};
  for (const task of TASKS) {
    const of = (await task.prepare?.(page)) ?? "";
    await page.goto(`${BASE}/admin/models`);
    await expect(page.getByRole("heading", { name: "Models", level: 1 })).toBeVisible();
    clicks.n = 0;
    await task.act(page, of);
    await task.done(page, of);
    taken[task.name] = clicks.n;
  }
  await page.goto(`${BASE}/admin/signals`);
  await press(page, "End pause");
  await confirm(page, "End pause");
  await expect(doneNotice(page)).toBeVisible();
  expect(Object.keys(taken)).toHaveLength(10);
  for (const [name, n] of Object.entries(taken)) {
    expect(n, name).toBeGreaterThan(0);
    expect(n, name).toBeLessThanOrEqual(MAX_CLICKS);
  }
});

test("an owner views a subscriber's portal read-only and leaves it", async ({ page }) => {
  const name = await makeSubscriber(page);
  await openAdministration(page, INSTALLATION, "/admin");
  await find(page, name);
  await page.getByRole("button", { name: "View as subscriber" }).click();
  await expect(page).toHaveURL(`${BASE}/portal`);
  const banner = page.getByRole("region", { name: "View as subscriber" });
  for (const entry of ["Signals", "Positions", "Key", "Settings"]) {
    await page
      .getByRole("navigation", { name: "Portal", exact: true })
      .getByRole("link", { name: entry, exact: true })
      .click();
    await expect(page).toHaveURL(/\/portal\/\w+$/);
    await expect(banner).toContainText(name);
  }
  await expect(page.getByText(/viewed your portal/).first()).toBeVisible();
  for (const button of ["Save", "Sign out everywhere", "Change the address", "Delete my account"])
    await expect(page.getByRole("button", { name: button, exact: true })).toBeDisabled();
  await expect(page.getByLabel("Display name")).toBeDisabled();
  // A form that was opened before the view is refused.
  await page.locator("fieldset[disabled]").evaluate((part) => part.removeAttribute("disabled"));
  await page.getByLabel("Display name").fill("Changed by the operator");
  const answer = page.waitForResponse((response) => response.request().method() === "POST");
  await page.getByRole("button", { name: "Save" }).click();
  expect((await answer).status()).toBe(403);
  await expect(page).toHaveURL(/intent=save$/);
  await page.getByRole("link", { name: "Back to the page" }).click();
  await expect(page.getByLabel("Display name")).toHaveValue("");
  await banner.getByRole("button", { name: "End the view" }).click();
  await expect(doneNotice(page)).toBeVisible();
  await expect(page.getByText("Portal viewed")).toBeVisible();
  await page.goto(`${BASE}/portal`);
  await expect(page).toHaveURL(/\/login/);
});
