import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory that any user may read (PostgreSQL does not run as root), gone when the process ends. */
export function temporaryDirectory(prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(directory, 0o755);
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
