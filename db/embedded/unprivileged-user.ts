import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** PostgreSQL refuses to run as root; this uid (nobody) exists everywhere. */
const UNPRIVILEGED_UID = 65_534;

/** Whom PostgreSQL runs as where this process is root; undefined where it is not, and PostgreSQL is what we are. */
export function unprivilegedIdentity(): { uid: number; gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : undefined;
}

/** Whether any user may pass through every folder down to this one. */
export function isReachableByOthers(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
