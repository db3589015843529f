/** Entry point of the training process' second thread. It does the computation, so that the first can receive messages. */
import { parentPort, workerData } from "node:worker_threads";
import { setProcessKind, workerDb } from "@/db/client";
import { trainSlotById } from "@/lib/models/training/train-slot-by-id";
import { flushLog } from "@/lib/runtime/log";
import { captureTaskFailure } from "./engine-task-failure";
import { makeGateWaiter, type TrafficGate } from "./traffic-gate";

export interface TrainingInput {
  slotId: number;
  gate: TrafficGate;
}

setProcessKind("worker");
const { slotId, gate }: TrainingInput = workerData;
const failure = await captureTaskFailure(() => trainSlotById(workerDb(), slotId, makeGateWaiter(gate)));
// The process exits after this message.
await flushLog();
parentPort?.postMessage(failure);
