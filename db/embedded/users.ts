import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "./file-lock";

const folder = (dataDir: string) => join(dataDir, "postgres-users");

/** Notes that this process uses the embedded database under `dataDir`: a file named by its number. */
export function noteUser(dataDir: string): void {
  mkdirSync(folder(dataDir), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder(dataDir), String(process.pid)), "");
}

/** Ends the use by this process. Returns whether another process goes on; what dead ones left is cleared away. */
export function leaveToOthers(dataDir: string): boolean {
  rmSync(join(folder(dataDir), String(process.pid)), { force: true });
  let isUsed = false;
  for (const name of existsSync(folder(dataDir)) ? readdirSync(folder(dataDir)) : []) {
    if (isOurs(Number(name))) isUsed = true;
    else rmSync(join(folder(dataDir), name), { force: true });
  }
  return isUsed;
}

/** After a crash the number may belong to any process by now; Linux tells whether it runs what we run. */
function isOurs(pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (!existsSync("/proc/self/exe")) return true;
  try {
    return readlinkSync(`/proc/${pid}/exe`) === readlinkSync("/proc/self/exe");
  } catch {
    return false;
  }
}
