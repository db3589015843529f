import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pickFreePort } from "@/db/embedded/cluster";
import { testEnvironment } from "./database";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Folder of the built processes: this tree, or an unpacked archive of `npm run package`. */
const builtAt = process.env.SERVE_FROM ?? root;
/** A command in front of Node, such as `systemd-run --scope -p MemoryMax=1536M`. */
const servedWith = (process.env.SERVE_WITH ?? "").split(" ").filter((word) => word !== "");

/** A start takes two seconds, but most of a minute on a busy machine. */
const START_MS = 120_000;

export interface RunningServer {
  url: string;
  port: number;
  pid: number;
  /** Everything the process wrote so far. */
  output(): string;
  /** Standard output only. */
  stdout(): string;
  /** Sends SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

/** Starts the production server, which `npm test` has built, as a separate process. Resolves when it is ready. */
export async function startServer(
  databaseUrl: string,
  extra: Record<string, string> = {},
): Promise<RunningServer> {
  const port = Number(extra.PORT ?? (await pickFreePort()));
  const environment = {
    ...testEnvironment(databaseUrl, { PORT: String(port), BASE_URL: `http://localhost:${port}` }),
    LOG_FILE: "",
    ...extra,
  };
  return startProcess("server.mjs", environment, port, (output) => output.includes("is ready at"));
}

/**
 * Starts a built process with this environment and waits until its output satisfies `isUp`. NODE_ENV is omitted, as
 * in a manual start.
 */
export async function startProcess(
  file: "server.mjs" | "worker.mjs",
  environment: Record<string, string>,
  port: number,
  isUp: (output: string) => boolean,
): Promise<RunningServer> {
  const { NODE_ENV: _, ...variables } = environment;
  const [command = "", ...args] = [...servedWith, process.execPath, join(builtAt, ".build", file)];
  const child = spawn(command, args, {
    cwd: builtAt,
    // Next's types require NODE_ENV in every environment.
    env: {
      PATH: process.env.PATH ?? "",
      ...preloading(),
      ...variables,
    } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
  });
  let output = "";
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(
    async () => {
      if (child.exitCode !== null) throw new Error(`the process ended at its start:\n${output}`);
      return isUp(output);
    },
    START_MS,
    () => output,
  );
  const end = (signal: NodeJS.Signals) => endProcess(child, signal);
  return {
    url,
    port,
    pid: child.pid ?? 0,
    output: () => output,
    stdout: () => stdout,
    stop: () => end("SIGTERM"),
    kill: async () => {
      await end("SIGKILL");
    },
  };
}

/** The test runner's TUNING, if set: under Vitest it makes servers load pages on the first request, not at the start. */
function preloading(): Record<string, string> {
  const { TUNING } = process.env;
  return TUNING === undefined ? {} : { TUNING };
}

function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((done) => {
    child.once("exit", (code) => done(code));
    child.kill(signal);
  });
}

/** Waits for a condition in another process by polling, because no event is available. */
export async function waitUntil(
  condition: () => Promise<boolean>,
  timeoutMs: number,
  explain: () => string = () => "",
  pauseMs = 25,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms\n${explain()}`);
    await new Promise((done) => setTimeout(done, pauseMs));
  }
}
