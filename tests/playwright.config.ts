import { defineConfig } from "@playwright/test";

const TIMED = "page-budget.spec.ts";

/** Files whose tests change what all callers of the service see, or stop its database. */
const OPERATOR = [
  "admin.spec.ts",
  "database-stopped.spec.ts",
  "identity-provider.spec.ts",
  "payments.spec.ts",
  "settings.spec.ts",
  "ten-tasks.spec.ts",
  "try-out.spec.ts",
];

export default defineConfig({
  testDir: "e2e",
  outputDir: "../test-results",
  fullyParallel: false,
  // On two cores, two workers would leave the processor idle half of the time.
  workers: 3,
  // One retry on shared machines. The summary lists a test that passes only then as flaky.
  retries: process.env.CI ? 1 : 0,
  // Long enough for a busy machine. Tests that measure time set their own limits.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [
    ["list"],
    ["json", { outputFile: process.env.PLAYWRIGHT_RESULTS ?? "../test-results/browser.json" }],
  ],
  globalSetup: "./e2e/global-setup.ts",
  projects: [
    // Both projects have a separate service, named after them. Tests of `operator` run one at a time.
    { name: "operator", testMatch: OPERATOR, workers: 1 },
    { name: "pages", testIgnore: [...OPERATOR, TIMED] },
    // Tests that measure time need a machine without other work: only `npm run test:machine` runs them.
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
