import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pickFreePort } from "@/db/embedded/cluster";
import { connectRedis } from "@/lib/access/limits/shared/redis-connection";
import { waitUntil } from "./server";

/** Whether redis-server is installed. Prints a note if it is missing, because tests are then skipped. */
export function hasRedis(): boolean {
  const found = spawnSync("redis-server", ["--version"]).status === 0;
  if (!found) process.stdout.write("redis-server is not installed: the tests that need one are skipped\n");
  return found;
}

export interface RunningRedis {
  url: string;
  /** Sends SIGKILL: connections break and stored counts are lost. */
  kill(): Promise<void>;
  /** Suspends the process for `ms` milliseconds: connections stay open without answers. */
  hang(ms: number): Promise<void>;
  /** Starts redis-server again on the same port after `kill`. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a redis-server on a free port, without persistence. */
export async function startRedis(): Promise<RunningRedis> {
  const directory = mkdtempSync(join(tmpdir(), "signal-redis-"));
  const port = await pickFreePort();
  const url = `redis://127.0.0.1:${port}`;
  const launch = async () => {
    const child = spawn(
      "redis-server",
      ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", directory],
      { stdio: "ignore" },
    );
    const probe = connectRedis(url);
    await waitUntil(
      () =>
        probe.eval("return 1", [], []).then(
          () => true,
          () => false,
        ),
      10_000,
    );
    probe.close();
    return child;
  };
  let child = await launch();
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    await gone;
  };
  return {
    url,
    kill: () => end("SIGKILL"),
    hang: async (ms) => {
      child.kill("SIGSTOP");
      await new Promise((done) => setTimeout(done, ms));
      child.kill("SIGCONT");
    },
    restart: async () => {
      child = await launch();
    },
    stop: async () => {
      await end("SIGTERM");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
