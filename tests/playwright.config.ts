import { defineConfig } from "@playwright/test";

const TIMED = "page-budget.spec.ts";

export default defineConfig({
  testDir: "e2e",
  outputDir: "../test-results",
  fullyParallel: false,
  // Each with a running product of its own. On two cores two of them wait half of the time.
  workers: 3,
  // One retry on shared machines. The summary lists a test that passes only then as flaky.
  retries: process.env.CI ? 1 : 0,
  // Long enough for a busy machine. Tests that measure time set limits of their own.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [
    ["list"],
    ["json", { outputFile: process.env.PLAYWRIGHT_RESULTS ?? "../test-results/browser.json" }],
  ],
  globalSetup: "./e2e/global-setup.ts",
  projects: [
    { name: "pages", testIgnore: TIMED },
    // What is timed needs the machine for itself: `npm run test:machine`.
    { name: "timed", testMatch: TIMED },
  ],
  use: {
    launchOptions: {
      ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
      args: [
        "--no-sandbox",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--disable-dev-shm-usage",
        "--disable-gpu",
      ],
    },
  },
});
