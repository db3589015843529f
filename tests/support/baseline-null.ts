import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * Runs the baseline on `walks` driftless walks of each kind. Returns their total number and the names of those on which
 * it gives a direction. Uses a separate process, because under Vitest the tight loops take seven times as long.
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
