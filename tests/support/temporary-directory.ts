import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

/** Creates a directory that every user can read, because PostgreSQL does not run as root. Deleted when the process ends. */
export function temporaryDirectory(prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(directory, 0o755);
  if (made.length === 0)
    process.on("exit", () => {
      for (const path of made) rmSync(path, { recursive: true, force: true });
    });
  made.push(directory);
  return directory;
}
