/**
 * Entry point of the process that trains one slot and then exits, which frees all memory of the training. The worker
 * starts it, pauses it and ends it; it exits when the worker is gone.
 */
import { constants, setPriority } from "node:os";
import { startThread } from "./start-thread";
import { makeTrafficGate, setTrafficGate } from "./traffic-gate";
import type { TrainingInput } from "./training-thread";

// Requests have priority over training; the thread inherits this.
setPriority(constants.priority.PRIORITY_LOW);
// A signal to all processes of the service also stops the worker, which ends this one.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => undefined);
process.on("disconnect", () => process.exit());
// The worker may have ended while this process was loading.
if (!process.connected) process.exit();

const gate = makeTrafficGate();
process.on("message", (isBusy: boolean) => setTrafficGate(gate, isBusy));

const training: TrainingInput = { slotId: Number(process.argv[2]), gate };
const thread = startThread("training-thread", {
  workerData: training,
  resourceLimits: { maxOldGenerationSizeMb: 1024 },
});
thread.on("message", (failure) => process.send?.(failure));
thread.on("error", () => process.exit(1));
thread.on("exit", () => process.exit(1));
