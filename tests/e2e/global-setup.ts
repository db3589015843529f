import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, waitUntil } from "@/tests/support/server";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The product as `npm start` runs it: embedded database, simulated market, local mail outbox. */
export default async function setup() {
  const dataDir = mkdtempSync(join(tmpdir(), "signal-e2e-"));
  chmodSync(dataDir, 0o755);
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, ".build/server.mjs")], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? "",
      PORT: String(port),
      DATA_DIR: dataDir,
      MARKET_FEED: "demo",
      PAYMENT_WEBHOOK_SECRET: "e2e-webhook-secret",
      // Next's types want NODE_ENV in every environment; an operator gives none.
    } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const url = `http://localhost:${port}`;
  try {
    await waitUntil(
      async () => output.includes("Demo key"),
      60_000,
      () => output,
    );
    await waitUntil(
      async () => {
        // Asked too often, the service would refuse to say.
        await new Promise((done) => setTimeout(done, 400));
        const health = await fetch(`${url}/api/health`).then((response) => response.json());
        return health.total_active_slots > 0 && health.status === "ok";
      },
      120_000,
      () => output.slice(-4_000),
    );
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  process.env.E2E_BASE_URL = url;
  process.env.E2E_DATA_DIR = dataDir;
  process.env.E2E_DEMO_KEY = /Demo key, shown this once: (\S+)/.exec(output)?.[1] ?? "";
  process.env.E2E_ADMIN_SECRET = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8")).adminSecret;
  return async () => {
    child.kill("SIGTERM");
    await new Promise((done) => child.once("exit", done));
    rmSync(dataDir, { recursive: true, force: true });
  };
}
