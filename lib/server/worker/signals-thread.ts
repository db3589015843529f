/**
 * Entry of the thread that makes signals, with a separate database pool, so that the thread that answers requests never
 * waits for it. Each message starts one run over the due slots, and the reply carries its result.
 */
import { parentPort } from "node:worker_threads";
import { setConnectionShare, workerDb } from "@/db/client";
import { makeDueRanges } from "@/lib/models/producer/make-due-ranges";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { serveSlots } from "@/lib/models/producer/serve-slots";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { followCalendars } from "@/lib/signals/follow-calendars";
import { failureOf } from "./engine-answer";

async function makeSignals(): Promise<void> {
  // Whether a signal is timely depends on the calendars, which this thread holds for itself.
  await settingsCache().get();
  await serveSlots(workerDb());
  // The worker ends this thread when it stops; every step may be interrupted.
  const never = new AbortController().signal;
  // Signals come first: a range may be a moment late, a signal may not.
  await produceDueSignals(workerDb(), never);
  await makeDueRanges(workerDb(), never);
}

setConnectionShare("worker");
if (parentPort === null) throw new Error("this thread is started by the worker");
const port = parentPort;
followCalendars();
settingsCache().keep();
port.on("message", async () => port.postMessage(await failureOf(makeSignals)));
