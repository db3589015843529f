/** `npm run dev`: embedded database, migrations and worker here, pages and handlers by Next with hot reload. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startHeartbeatWriter } from "../heartbeat";
import { startWorker } from "../worker";
import { readConfiguration } from "./configuration";
import { openDatabase } from "./database";
import { greet } from "./greeting";

const config = readConfiguration();
const database = await openDatabase(config);
await database.ready;
const stopWorker = startWorker();
const stopHeartbeats = startHeartbeatWriter();
await greet(config);

const binary = fileURLToPath(new URL("../../node_modules/next/dist/bin/next", import.meta.url));
const next = spawn(process.execPath, [binary, "dev", "-p", String(config.port)], {
  stdio: "inherit",
  env: { ...process.env, DATA_DIR: config.dataDir, NEXT_TELEMETRY_DISABLED: "1" },
});
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => next.kill(name));
next.on("exit", async (code) => {
  await stopWorker();
  await stopHeartbeats();
  await database.close();
  process.exit(code ?? 0);
});
