import { defineConfig } from "@playwright/test";

/** A browser's walk through a running service: npx playwright test --config tests/operate/walk.config.ts. */
export default defineConfig({
  testDir: ".",
  testMatch: "walk.spec.ts",
  outputDir: "../../test-results/walk",
  workers: 1,
  timeout: 60_000,
  reporter: "line",
  use: {
    // Such as https://signals.example.com:8443.
    baseURL: process.env.WALK_URL ?? "http://localhost:3000",
    // The proxies that the scenario starts use certificates that the browser does not trust.
    ignoreHTTPSErrors: true,
    launchOptions: {
      ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
      args: [
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        `--host-resolver-rules=MAP ${process.env.WALK_NAME ?? "nowhere.invalid"} 127.0.0.1`,
      ],
    },
  },
});
