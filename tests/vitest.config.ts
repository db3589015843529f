import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The files that take longest, longest first: whichever is begun last, no fork is left alone with one of them. */
const LONGEST = [
  "server/process/start",
  "commands/ingest",
  "authorisation/matrix",
  "lib/signals/record/verify",
  "faults/faults",
  "operate/backup",
  "lib/models/train-and-tick",
  "server/process/embedded-database",
  "api/packed-clients",
  "server/process/worker",
  "lib/signals/feeds/stream",
  "server/process/several-processes",
  "server/reach",
  "commands/engine",
  "lib/payments/sequences",
  "lib/signals/sums-of-days",
  "api/webhook-crash",
  "server/first-fetch",
  "lib/engine/train",
  "lib/signals/complete-horizons",
  "lib/engine/models/pool",
  "fuzz/requests",
  "lib/auth/sign-in",
  "lib/models/advance-demo-market",
  "db/growth-plans",
].map((name) => `tests/${name}.test.ts`);

/** Begins the longest files first; on a fresh clone Vitest knows nothing of what a file takes. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

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
