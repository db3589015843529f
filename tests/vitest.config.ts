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

/**
 * Begins the longest files first; on a fresh clone Vitest knows nothing of what a file takes. Of the others it takes those
 * with a fork each before those that share one, as they must: a fork is kept only while the next file shares it.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

/** Files that call the service in their own process follow each other in one, but for four of them. */
const TOGETHER = [
  "tests/api/!(openapi|packed-clients|webhook-command|webhook-crash).test.ts",
  "tests/lib/{access,executions,market,wire}/**/*.test.ts",
];

const common = {
  resolve: { alias: { "@": root.replace(/\/$/, "") } },
};

const each = {
  // One fork per core: database tests each own a database of one shared server. With one more, some run into limits of
  // time.
  pool: "forks" as const,
  maxWorkers: availableParallelism(),
  // Tests of a file that run beside each other mostly wait; more at once would wait for the processor.
  maxConcurrency: 4,
  // One more try where the machine is shared: kills, drains and deadlines race with the neighbours.
  retry: process.env.CI ? 1 : 0,
  // Most servers are asked for no page.
  env: { PRELOAD_PAGES: "off" },
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  ...common,
  root,
  test: {
    ...each,
    sequence: { sequencer: LongestFirst },
    globalSetup: process.env.UNIT_ONLY ? [] : ["tests/support/global-setup.ts"],
    projects: [
      {
        ...common,
        root,
        test: {
          ...each,
          name: "apart",
          include: ["tests/**/*.test.ts", "tests/**/*.test.tsx"],
          exclude: ["node_modules/**", "tests/e2e/**", ...TOGETHER],
          setupFiles: ["tests/support/setup.ts"],
        },
      },
      {
        ...common,
        root,
        test: {
          ...each,
          name: "together",
          isolate: false,
          include: TOGETHER,
          setupFiles: ["tests/support/afresh.ts", "tests/support/setup.ts"],
        },
      },
    ],
  },
});
