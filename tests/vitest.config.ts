import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./support/longest-first";

const root = fileURLToPath(new URL("..", import.meta.url));

export default defineConfig({
  root,
  // As next.config.mjs has it: a Markdown file is its text.
  plugins: [
    {
      name: "markdown-as-text",
      enforce: "pre",
      transform: (code, id) =>
        id.endsWith(".md") ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined,
    },
  ],
  resolve: { alias: { "@": root.replace(/\/$/, "") } },
  test: {
    include: ["tests/**/*.test.ts", "tests/**/*.test.tsx"],
    exclude: ["node_modules/**", "tests/e2e/**"],
    // One fork per core: database tests each own a database of one shared server. With one more, some run into limits of
    // time.
    pool: "forks",
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    // Tests of a file that run beside each other mostly wait; more at once would wait for the processor.
    maxConcurrency: 4,
    // One more try where the machine is shared: kills, drains and deadlines race with the neighbours.
    retry: process.env.CI ? 1 : 0,
    // Most servers are asked for no page.
    env: { PRELOAD_PAGES: "off" },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    globalSetup: process.env.UNIT_ONLY ? [] : ["tests/support/global-setup.ts"],
    setupFiles: ["tests/support/setup.ts"],
  },
});
