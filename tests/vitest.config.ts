import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type PluginBuild } from "esbuild";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The files that take longest, longest first. They begin first, so that no fork works on one of them alone at the end. */
const LONGEST = [
  "operate/backup",
  "server/process/worker",
  "api/packed-clients",
  "server/process/start",
  "server/process/embedded-database",
  "authorisation/matrix",
  "server/process/database-unresponsive",
  "fuzz/requests",
  "lib/models/train-and-produce",
  "lib/signals/record/verify",
  "commands/ingest",
  "lib/signals/record/verify-witnesses",
  "commands/engine",
  "lib/payments/arrival-orders",
  "lib/outbound/telegram/telegram",
  "lib/engine/null-behaviour",
  "db/growth-query-plans",
  "api/try-out",
  "lib/signals/daily-sums",
  "server/concurrent-requests",
  "lib/signals/record/restored",
  "commands/ea",
  "lib/signals/complete-horizons",
  "lib/signals/feeds/poll",
  "lib/signals/record/committed-in-time",
  "lib/outbound/webhooks/webhooks",
  "lib/subscribers/live-state",
  "lib/payments/sequences",
].map((name) => `tests/${name}.test.ts`);

/**
 * Runs the files of LONGEST first, because on a new clone Vitest has no durations. Then runs the other files project by
 * project: a shared fork ends when the next file belongs to another project.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted(
      (a, b) => placeOf(a) - placeOf(b) || a.project.name.localeCompare(b.project.name),
    );
  }
}

/**
 * Files that share forks, by group, because a file in a separate fork imports every package again. A fork serves one
 * group only, which limits its memory. Files that start the service, or that test the state of a new process, are not
 * listed: each has its own fork.
 */
const TOGETHER = {
  interface: [
    "tests/api/!(openapi|packed-clients|webhook-command|webhook-crash).test.ts",
    "tests/lib/{access,executions,market,wire}/**/*.test.ts",
  ],
  people: [
    "tests/lib/{admin,api,auth,health,outbound,payments,runtime,settings,subscribers}/**/*.test.{ts,tsx}",
  ],
  signals: ["tests/lib/{engine,models,signals}/**/*.test.ts"],
  pages: [
    "tests/app/**/!(quick-start).test.{ts,tsx}",
    "tests/code/*.test.ts",
    "tests/lib/server/**/*.test.ts",
  ],
};

/**
 * Files that only `npm run test:machine` runs. Most start, stop and kill whole servers, compile, depend on time limits, or
 * compute for minutes.
 */
const MACHINE = [
  "tests/server/{process/*,first-fetch,streams-and-long-polls,two-servers}.test.ts",
  "tests/{faults,operate}/**/*.test.ts",
  "tests/db/{baseline-migration,embedded,pool}.test.ts",
  "tests/fuzz/requests.test.ts",
  "tests/api/{packed-clients,webhook-crash}.test.ts",
  "tests/ea-kit/{candle-pusher,sample-ea,signal-trader}.test.ts",
  "tests/research/**/*.test.ts",
  "tests/lib/models/{train-and-produce,advance-demo-market}.test.ts",
];

/** Files that `npm run test:machine` runs again with FULL_SIZE=1, with more cases than in `npm test`. */
const AT_FULL_SIZE = [
  "tests/lib/engine/null-behaviour.test.ts",
  "tests/lib/payments/arrival-orders.test.ts",
  "tests/lib/payments/concurrent-deliveries.test.ts",
  "tests/lib/payments/refunds.test.ts",
  "tests/lib/payments/sequences.test.ts",
  "tests/lib/signals/complete-horizons.test.ts",
  "tests/lib/signals/record/committed-in-time.test.ts",
];

/** Paths of the modules that only compute, and keep no state but caches, and of the modules that draw samples for them. */
const ARITHMETIC =
  /^(lib\/(engine|market)\/.*|lib\/(time|signals\/quality\/(calibration-of|slot-calibration))|tests\/lib\/engine\/(normal-source|synthetic|vectors)|tests\/research\/(perfect-forecasts|pooled-promotions|range-coverage|simulated-walk))\.ts$/;

/**
 * Vite plugin that bundles each module of ARITHMETIC with those of its imports that belong to ARITHMETIC. Without it,
 * Vitest reads each imported name from an object, and tight loops take three to five times the processor time.
 */
const directCalls = {
  name: "direct-calls",
  enforce: "pre" as const,
  async load(id: string): Promise<string | null> {
    if (!id.startsWith(root) || !ARITHMETIC.test(id.slice(root.length))) return null;
    const { outputFiles } = await build({
      entryPoints: [id],
      bundle: true,
      format: "esm",
      platform: "node",
      plugins: [{ name: "arithmetic alone", setup: takeArithmetic }],
      sourcemap: "inline",
      target: "node20",
      write: false,
    });
    return outputFiles[0]?.text ?? null;
  },
};

/** esbuild plugin that bundles imports of ARITHMETIC only: a bundled copy of another module would not share its state. */
function takeArithmetic({ onResolve }: PluginBuild): void {
  onResolve({ filter: /^@\// }, ({ path }) => {
    const file = `${path.slice(2)}.ts`;
    return ARITHMETIC.test(file) && existsSync(join(root, file))
      ? { path: join(root, file) }
      : { path, external: true };
  });
  onResolve({ filter: /^[a-z]/ }, ({ kind, path }) =>
    kind === "entry-point" ? null : { path, external: true },
  );
}

const common = {
  plugins: [directCalls],
  resolve: { alias: { "@": root.replace(/\/$/, "") } },
};

const each = {
  // One fork more than cores, because tests that wait for servers left a third of two processors idle.
  pool: "forks" as const,
  maxWorkers: availableParallelism() + 1,
  // Limit for concurrent tests of a file, which mostly wait; with more, they would compete for the processor.
  maxConcurrency: 4,
  // In CI a failed test runs once more, because other work on a shared machine can make it exceed a time limit.
  retry: process.env.CI ? 1 : 0,
  // Servers load pages on the first request, because most tests request none. Longer timeouts allow for a busy processor.
  env: { TUNING: "preload=0,timeout-factor=10" },
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
          exclude: ["node_modules/**", "tests/e2e/**", ...Object.values(TOGETHER).flat(), ...MACHINE],
          setupFiles: ["tests/support/setup.ts"],
        },
      },
      {
        ...common,
        root,
        test: {
          ...each,
          name: "machine",
          include: [...MACHINE, ...AT_FULL_SIZE],
          env: { TUNING: "preload=0", FULL_SIZE: "1" },
          setupFiles: ["tests/support/setup.ts"],
        },
      },
      ...Object.entries(TOGETHER).map(([group, include]) => ({
        ...common,
        root,
        test: {
          ...each,
          name: `together-${group}`,
          isolate: false,
          include,
          exclude: MACHINE,
          setupFiles: ["tests/support/fresh-modules.ts", "tests/support/setup.ts"],
        },
      })),
    ],
  },
});
