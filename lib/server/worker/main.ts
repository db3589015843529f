/** Entry point of a separate worker process, for web replicas with WORKER=none. */
import { closePools, setProcessKind } from "@/db/client";
import { log } from "@/lib/runtime/log";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { readConfigurationOrExit } from "@/lib/server/configuration";
import { openMetricsPort } from "@/lib/server/metrics-port";
import { runServiceProcess } from "@/lib/server/run-process";
import { whenStopped } from "@/lib/server/stop-signal";
import { keepCalendarsInSync } from "@/lib/signals/sync-calendars";
import { startWorker } from "./";
import { answerProbe, readWorkerGauges } from "./probes";

setProcessKind("worker");

const config = readConfigurationOrExit();
await runServiceProcess(config, async (ready, stop) => {
  const port =
    config.workerPort === null
      ? null
      : openMetricsPort(config.workerPort, config.metricsHost, {
          readGauges: readWorkerGauges,
          probe: answerProbe,
        });
  await Promise.race([ready, whenStopped(stop)]);
  if (stop.aborted) return;
  keepCalendarsInSync();
  const letSettingsGo = settingsCache().keep();
  const stopWorker = startWorker();
  log("info", "the worker waits for the leader's lock");
  await whenStopped(stop);
  port?.close();
  await stopWorker();
  letSettingsGo();
  await closePools();
});
