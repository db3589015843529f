/** Program of log-file.test.ts: a process and a worker thread, each of which logs a line every 20 ms. */
import { isMainThread, Worker } from "node:worker_threads";
import { log } from "@/lib/runtime/log";

const who = isMainThread ? "process" : "thread";
setInterval(() => log("info", "a line", { kind: who }), 20);
if (isMainThread) {
  const entry = JSON.stringify(import.meta.url);
  const start = `import("tsx/esm/api").then(({ register }) => { register(); return import(${entry}); });`;
  new Worker(start, { eval: true });
}
