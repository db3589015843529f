import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Uid of the user `nobody`. PostgreSQL refuses to run as root, so it runs as this user if this process is root. */
const UNPRIVILEGED_UID = 65_534;

/** The user as which PostgreSQL runs if this process is root; undefined: PostgreSQL runs as this process' user. */
export function unprivilegedIdentity(): { uid: number; gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : undefined;
}

/** Whether any user can traverse every existing folder of this path. */
export function isReachableByOthers(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
