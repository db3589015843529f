import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const START_MS = 100_000;
const LOOK_MS = 200;

/** Address of the server or proxy that tests call instead of the handlers of their own process. */
export const SERVER_URL = process.env.INTERFACE_URL ?? null;

/**
 * Starts the server of the archive in INTERFACE_ARCHIVE, or of this tree, on INTERFACE_PORT, and waits until it
 * answers at INTERFACE_URL. Returns a function that stops it.
 */
export async function startServerUnderTest(
  variables: Record<string, string>,
): Promise<() => Promise<unknown>> {
  const { INTERFACE_ARCHIVE = root, INTERFACE_PORT = "3000", PATH } = process.env;
  const environment = { PATH, TUNING: "preload=0", WORKER: "none", ...variables, PORT: INTERFACE_PORT };
  const child = spawn(process.execPath, [join(INTERFACE_ARCHIVE, ".build/server.mjs")], {
    cwd: INTERFACE_ARCHIVE,
    // Next's types require NODE_ENV in every environment.
    env: { ...environment, NODE_ENV: "production" },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  const isReady = async () =>
    (await fetch(`${SERVER_URL}/api/health/ready`).catch(() => null))?.status === 200;
  for (let leftMs = START_MS; !(await isReady()); leftMs -= LOOK_MS) {
    if (child.exitCode !== null || leftMs <= 0) throw new Error(`no server answers at ${SERVER_URL}`);
    await pause(LOOK_MS);
  }
  return async () => {
    child.kill("SIGTERM");
    await ended;
  };
}
