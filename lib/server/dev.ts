/** `npm run dev`: embedded database, migrations and worker in this process, pages and handlers by Next with hot reload. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { startHeartbeatFlusher } from "@/lib/subscribers/heartbeat-flusher";
import { readConfigurationOrExit } from "./configuration";
import { runServiceProcess } from "./run-process";
import { printStartupBanner } from "./startup-banner";
import { whenStopped } from "./stop-signal";
import { startWorker } from "./worker";

const config = readConfigurationOrExit();
await runServiceProcess(config, async (ready, stop) => {
  await Promise.race([ready, whenStopped(stop)]);
  if (stop.aborted) return;
  const stopWorker = startWorker();
  const stopHeartbeatFlusher = startHeartbeatFlusher();
  await settingsCache().get();
  await printStartupBanner(config);

  const binary = fileURLToPath(new URL("../../node_modules/next/dist/bin/next", import.meta.url));
  const host = config.host === null ? [] : ["-H", config.host];
  const next = spawn(process.execPath, [binary, "dev", "-p", String(config.port), ...host], {
    stdio: "inherit",
    env: { ...process.env, DATA_DIR: config.dataDir, NEXT_TELEMETRY_DISABLED: "1" },
  });
  const ended = once(next, "exit");
  await Promise.race([ended, whenStopped(stop)]);
  next.kill();
  await ended;
  await stopWorker();
  await stopHeartbeatFlusher();
});
