import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * Runs the baseline in a separate process on `walks` driftless walks of each kind. Returns the total number of walks
 * and the names of those on which it gives a direction.
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
