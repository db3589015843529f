// `npm test`: installs and builds what is missing, finds or installs a browser, runs the tests, and prints a summary.
// `npm run test:machine` does the same for the tests that need the machine without other work.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { build, install, root } from "../lib/server/start.mjs";

const startedMs = Date.now();
const needsMachine = process.argv[2] === "machine";
const suite = needsMachine
  ? { vitest: ["--project=machine"], playwright: ["--project=timed"] }
  : {
      vitest: ["--project=apart", "--project=together-*"],
      playwright: ["--project=operator", "--project=pages"],
    };
const SLOWEST = 10;

process.chdir(root);
await install();
await build();

const results = mkdtempSync(join(tmpdir(), "signal-results-"));
const unit = join(results, "unit.json");
const browser = join(results, "browser.json");
const problems = join(results, "problems.txt");
const bin = (name) => join(root, "node_modules/.bin", name);
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", PLAYWRIGHT_RESULTS: browser };
delete env.NODE_ENV;

const generated = run(bin("tsx"), ["tests/generate.ts"], env);
const check = needsMachine ? null : startBeside(bin("tsc"), ["--noEmit"], env);
const ran = run(
  bin("vitest"),
  [
    "run",
    "--config",
    "tests/vitest.config.ts",
    ...suite.vitest,
    "--reporter=default",
    "--reporter=json",
    "--reporter=./tests/support/suite-problems.ts",
    `--outputFile.json=${unit}`,
  ],
  // COMPLETE_SUITE makes the run fail if a documented answer was seen by no test: only `npm test` sees them all.
  { ...env, ...(needsMachine ? {} : { COMPLETE_SUITE: "1" }), SUITE_PROBLEMS: problems },
);
const checked = check === null ? 0 : await check.end();
env.CHROMIUM_PATH = findBrowser() ?? "";
const browsed = run(
  bin("playwright"),
  ["test", "--config", "tests/playwright.config.ts", ...suite.playwright],
  env,
);

const total = { passed: 0, failed: 0, skipped: 0 };
/** Duration of each test file in milliseconds, by path. */
const took = new Map();
if (existsSync(unit)) {
  const report = JSON.parse(readFileSync(unit, "utf8"));
  nameUnitTests(report);
  for (const { name, startTime, endTime } of report.testResults)
    took.set(relative(root, name), endTime - startTime);
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests;
  total.skipped += report.numPendingTests;
}
if (existsSync(browser)) {
  const { stats, suites } = JSON.parse(readFileSync(browser, "utf8"));
  nameBrowserTests(suites);
  for (const { file, ...tests } of suites) took.set(`tests/e2e/${file}`, durationOf(tests));
  total.passed += stats.expected + stats.flaky;
  total.failed += stats.unexpected;
  if (stats.flaky > 0) process.stdout.write(`\n${stats.flaky} browser tests passed only at the second try\n`);
  total.skipped += stats.skipped;
}
if (existsSync(problems)) process.stdout.write(readFileSync(problems, "utf8"));
rmSync(results, { recursive: true, force: true });

const steps = {
  "the generated files": generated,
  "the types": checked,
  "the tests": ran,
  "the browser tests": browsed,
};
for (const [name, status] of Object.entries(steps))
  if (status !== 0) process.stdout.write(`failed: ${name} ended with ${status}\n`);
const broken = Object.values(steps).some((status) => status !== 0);
if (broken && total.failed === 0) total.failed = 1;
process.stdout.write("\nslowest files:\n");
for (const [file, ms] of [...took].toSorted((a, b) => b[1] - a[1]).slice(0, SLOWEST))
  process.stdout.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}\n`);
const minutes = (Date.now() - startedMs) / 60_000;
process.stdout.write(`total: ${minutes.toFixed(1)} min with installation and build\n`);
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exit(broken ? 1 : 0);

/** Prints failed and skipped unit tests at the end of the output, so that a log that lost its beginning shows them. */
function nameUnitTests({ testResults }) {
  for (const file of testResults) {
    const name = relative(root, file.name);
    // If the preparation of a file fails, its tests are skipped and none of them has failed.
    if (file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"))
      process.stdout.write(`failed: ${name}\n${file.message}\n`);
    for (const test of file.assertionResults) {
      if (test.status === "failed")
        process.stdout.write(
          `failed: ${name} > ${test.fullName}\n${test.failureMessages.join("\n").slice(0, 2000)}\n`,
        );
      if (test.status === "pending" || test.status === "skipped")
        process.stdout.write(`skipped: ${name} > ${test.fullName}\n`);
    }
  }
}

function nameBrowserTests(suites) {
  for (const suite of suites) {
    for (const { title, tests } of suite.specs)
      for (const { status } of tests)
        if (status !== "expected") process.stdout.write(`${status}: ${suite.file} > ${title}\n`);
    nameBrowserTests(suite.suites ?? []);
  }
}

function durationOf({ specs = [], suites = [] }) {
  const results = specs.flatMap(({ tests }) => tests.flatMap((test) => test.results));
  return (
    results.reduce((sum, { duration }) => sum + duration, 0) +
    suites.reduce((sum, inner) => sum + durationOf(inner), 0)
  );
}

function run(command, args, environment) {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", env: environment }).status ?? 1;
}

/** Starts a command with low priority in the background. `end` waits for it, prints its output and returns its exit code. */
function startBeside(command, args, environment) {
  const written = join(results, "beside.txt");
  const output = openSync(written, "w");
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", output, output], env: environment });
  setPriority(child.pid, 10);
  const ended = once(child, "exit");
  return {
    end: async () => {
      const [code] = await ended;
      process.stdout.write(readFileSync(written, "utf8"));
      return code ?? 1;
    },
  };
}

/**
 * Path of a browser: CHROMIUM_PATH, else Chromium's headless shell on the PATH, which needs half the time per page, or
 * installed as Debian's package if this is root, else a browser on the PATH. Else null, after Playwright's own download.
 */
function findBrowser() {
  const shell = ["chromium-headless-shell"];
  const found = process.env.CHROMIUM_PATH || onPath(shell);
  if (found) return found;
  if (process.getuid?.() === 0 && onPath(["apt-get"])) {
    spawnSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...shell], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  }
  const browser = onPath([...shell, "chromium", "chromium-browser", "google-chrome"]);
  if (browser) return browser;
  spawnSync(bin("playwright"), ["install", "chromium"], { stdio: "inherit" });
  return null;
}

function onPath(names) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  }
  return null;
}
