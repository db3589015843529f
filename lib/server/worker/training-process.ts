/**
 * Entry of the process that trains one slot and ends, so that all the memory that a training takes is given back.
 * The worker starts it, tells it when to rest, and ends it; it ends by itself when the worker is gone.
 */
import { constants, setPriority } from "node:os";
import { startThread } from "./start-thread";
import { makeTrafficGate, setGate } from "./traffic-gate";
import type { Training } from "./training-thread";

// Requests come before training; the thread inherits this.
setPriority(constants.priority.PRIORITY_LOW);
// Whoever stops all processes of the service at once stops the worker too, which ends this one.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => undefined);
process.on("disconnect", () => process.exit());
// It may be gone already: this process took a moment to load.
if (!process.connected) process.exit();

const gate = makeTrafficGate();
process.on("message", (isBusy: boolean) => setGate(gate, isBusy));

const training: Training = { slotId: Number(process.argv[2]), gate };
const thread = startThread("training-thread", {
  workerData: training,
  resourceLimits: { maxOldGenerationSizeMb: 1024 },
});
thread.on("message", (failure) => process.send?.(failure));
thread.on("error", () => process.exit(1));
thread.on("exit", () => process.exit(1));
