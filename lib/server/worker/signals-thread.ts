/**
 * Entry point of the thread that produces signals. It has a separate database pool, so that requests never wait for
 * it. Each message starts one run over the due slots; the reply carries the result.
 */
import { parentPort } from "node:worker_threads";
import { setProcessKind, workerDb } from "@/db/client";
import { assignBaselineToSlots } from "@/lib/models/producer/assign-baseline-to-slots";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { recordDueForecastRanges } from "@/lib/models/producer/record-due-ranges";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { keepCalendarsInSync } from "@/lib/signals/sync-calendars";
import { captureTaskFailure } from "./engine-task-failure";

async function makeSignals(): Promise<void> {
  // The calendars decide whether a signal is timely, and each thread has its own settings cache.
  await settingsCache().get();
  await assignBaselineToSlots(workerDb());
  // Never aborted: the worker ends this thread when it stops, and every step may be interrupted.
  const never = new AbortController().signal;
  // Signals first: a range may be a moment late, a signal may not.
  await produceDueSignals(workerDb(), never);
  await recordDueForecastRanges(workerDb(), never);
}

setProcessKind("worker");
if (parentPort === null) throw new Error("this thread is started by the worker");
const port = parentPort;
keepCalendarsInSync();
settingsCache().keep();
port.on("message", async () => port.postMessage(await captureTaskFailure(makeSignals)));
