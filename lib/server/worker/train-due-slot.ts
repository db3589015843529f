import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { workerDb } from "@/db/client";
import { findSlotDueForTraining, postponeTraining } from "@/lib/models/training/due-slot";
import { childEnvironment } from "@/lib/runtime/env";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { waitForTaskEnd } from "./engine-task-failure";
import { workerEntryUrl } from "./start-thread";
import { watchTraffic } from "./traffic-gate";

/**
 * Trains the slot whose last training is longest ago, if one is due, in a separate process. After a failure this
 * process does not train the slot for six hours, unless the database failed. Aborting ends the training at once; the
 * database rolls back an unfinished transaction.
 */
export async function trainDueSlot(signal: AbortSignal): Promise<void> {
  const now = new Date();
  const slotId = await findSlotDueForTraining(workerDb(), now);
  if (slotId === null) return;
  try {
    await trainInProcess(slotId, signal);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) postponeTraining(slotId, now);
    throw error;
  }
}

async function trainInProcess(slotId: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const file = workerEntryUrl("training-process");
  const training = fork(file, [String(slotId)], {
    execArgv: file.pathname.endsWith(".ts") ? ["--import", "tsx"] : [],
    env: childEnvironment(),
  });
  // Without a listener, a failed message to a process that has ended would crash the worker.
  training.on("error", () => undefined);
  const stopWatching = watchTraffic((isBusy) => {
    if (training.connected) training.send(isBusy);
  });
  try {
    await waitForTaskEnd(training, signal);
  } finally {
    stopWatching();
    await endProcess(training);
  }
}

async function endProcess(process: ChildProcess): Promise<void> {
  // Without a process id it never started.
  if (process.pid === undefined || process.exitCode !== null || process.signalCode !== null) return;
  const ended = once(process, "exit");
  process.kill("SIGKILL");
  await ended;
}
