import { Worker, type WorkerOptions } from "node:worker_threads";

const IS_BUILT = import.meta.url.endsWith(".mjs");

/** Address of a worker's entry point: a bundle in production, else the source. */
export function workerEntryUrl(name: string): URL {
  return new URL(`./${name}.${IS_BUILT ? "mjs" : "ts"}`, import.meta.url);
}

/** Starts an entry point as a thread. From sources, the thread first loads a TypeScript loader. */
export function startThread(name: string, options: WorkerOptions): Worker {
  if (IS_BUILT) return new Worker(workerEntryUrl(name), options);
  const source = JSON.stringify(workerEntryUrl(name).href);
  const start = `import("tsx/esm/api").then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(start, { ...options, eval: true });
}
