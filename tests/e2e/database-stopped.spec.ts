import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { service } from "@/tests/e2e/service";
import { outdatedPageNotice } from "./notices";
import { baseUrl, issueKey, openPortal, test } from "./portal-support";

test("an open page shows since when it was not updated while the database is down, and recovers by itself", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const { key } = await issueKey();
  await openPortal(page, key, "/portal/signals");
  const mark = page.getByText(/^Updated \d+ s ago$/).first();
  await expect(page.getByText("Live", { exact: true }).first()).toBeVisible();
  const processes = databaseProcesses();
  expect(processes.length).toBeGreaterThan(1);
  try {
    for (const id of processes) process.kill(id, "SIGSTOP");
    await expect(mark).toBeVisible({ timeout: 30_000 });
    await expect(outdatedPageNotice(page)).toBeVisible();
    const [first] = /\d+/.exec(await mark.innerText()) ?? [];
    await page.waitForTimeout(3_000);
    const [later] = /\d+/.exec(await mark.innerText()) ?? [];
    expect(Number(later), "the age grows").toBeGreaterThan(Number(first));
    // The status page reports the outage too. A page up to three seconds old is sent from the cache.
    await expect
      .poll(async () => (await page.request.get(`${baseUrl()}/status`)).text(), { timeout: 30_000 })
      .toMatch(/service is down/i);
  } finally {
    for (const id of processes) process.kill(id, "SIGCONT");
  }
  await expect(page.getByText("Live", { exact: true }).first()).toBeVisible({ timeout: 30_000 });
  await expect(outdatedPageNotice(page)).toHaveCount(0);
});

/** Process ids of the tested service's postmaster and its children. */
function databaseProcesses(): number[] {
  const folder = service().dataDir;
  const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) =>
    path.endsWith("postmaster.pid"),
  );
  if (!file) throw new Error(`no database under ${folder}`);
  const postmaster = Number(readFileSync(join(folder, file), "utf8").split("\n")[0]);
  const children = spawnSync("pgrep", ["-P", String(postmaster)], { encoding: "utf8" }).stdout;
  return [postmaster, ...children.split("\n").filter(Boolean).map(Number)];
}
