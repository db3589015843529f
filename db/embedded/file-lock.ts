import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Locks that this process holds: its own number in a file that is not among them was left by a namesake. */
const held = new Set<string>();

/**
 * Runs `work` while no other process holds the lock file. A file whose process is gone, or that is older than
 * `maxHoldMs`, is taken away: nobody holds a lock longer than that. Throws when the lock cannot be had in twice the time.
 */
export async function withFileLock<T>(path: string, maxHoldMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 2 * maxHoldMs;
  while (!take(path)) {
    if (Date.now() > deadline) throw new Error(`${path} is held by another process`);
    if (isLeftBehind(path, maxHoldMs)) rmSync(path, { force: true });
    else await pause(50);
  }
  held.add(path);
  try {
    return await work();
  } finally {
    held.delete(path);
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    // On a full disk the file is made and stays empty, and everybody would wait for its writer.
    rmSync(path, { force: true });
    throw error;
  }
}

function isLeftBehind(path: string, maxHoldMs: number): boolean {
  try {
    if (Date.now() - statSync(path).mtimeMs > maxHoldMs) return true;
    const text = readFileSync(path, "utf8");
    // Empty: made this instant, its number is still to be written.
    if (text === "") return false;
    const pid = Number(text);
    return pid === process.pid ? !held.has(path) : !isAlive(pid);
  } catch {
    // Gone meanwhile.
    return false;
  }
}

/** Whether a process of this number runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
