import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * Runs tests/research/baseline-null.ts in its own process: the test runner's module wrappers slow the tight loops
 * down seven times.
 */
export async function runBaselineNull(walks: number): Promise<{ walks: number; directed: string[] }> {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "tests/research/baseline-null.ts", String(walks)],
    { cwd: root },
  );
  return JSON.parse(stdout);
}
