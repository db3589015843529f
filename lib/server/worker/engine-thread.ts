/**
 * Entry of a thread that does the engine's arithmetic, with a database pool of its own, so that the thread that answers
 * requests never waits for it (decision 37). It runs one task at a time and sends back how the task ended.
 */
import { constants, setPriority } from "node:os";
import { getHeapStatistics } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { workerDb } from "@/db/client";
import { makeDueRanges } from "@/lib/models/producer/make-due-ranges";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { serveSlots } from "@/lib/models/producer/serve-slots";
import { trainDueSlot } from "@/lib/models/training/train-due-slot";
import { errorFacts } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import type { EngineAnswer, EngineTask } from "./engine-tasks";
import { type TrafficGate, waitAtGate } from "./traffic-gate";

// The data that the worker passes to each of its threads.
const gate: TrafficGate = workerData;

const TASKS: Record<EngineTask, () => Promise<unknown>> = {
  // The worker ends this thread when it stops; every step may be interrupted.
  signals: async () => {
    await serveSlots(workerDb());
    const never = new AbortController().signal;
    // Signals come first: a range may be a moment late, a signal may not.
    await produceDueSignals(workerDb(), never);
    await makeDueRanges(workerDb(), never);
  },
  training: () => {
    // On Linux this sets the priority of this thread alone, so that requests come before training.
    if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);
    return trainDueSlot(workerDb(), new Date(), waitAtGate(gate));
  },
};

function heldBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics();
  return total_heap_size + external_memory;
}

if (parentPort === null) throw new Error("the engine's thread is started by the worker");
const port = parentPort;
port.on("message", async (task: EngineTask) => {
  let failure: EngineAnswer["failure"] = null;
  try {
    await TASKS[task]();
  } catch (error) {
    failure = { ...errorFacts(error), isDatabaseUnavailable: isDatabaseUnavailable(error) };
  }
  port.postMessage({ failure, heldBytes: heldBytes() } satisfies EngineAnswer);
});
