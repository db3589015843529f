import { setFlagsFromString } from "node:v8";
import { MINUTE_MS } from "@/lib/time";

/** By then V8 has compiled for speed whatever each poll, report and page runs. */
const SETTLED_MS = 15 * MINUTE_MS;
/** How much of a function has to run, in bytes of its bytecode, before V8 counts it as busier; by itself V8 takes 66 KB. */
const SETTLED_BUDGET = 2 ** 20;
/** That of Node 20; others may count in another way, and are left to it. */
const COUNTS_SO = process.versions.v8.startsWith("11.");

/**
 * After a while lets V8 compile for speed only what runs a good deal more often than V8 asks for by itself. What a function
 * has run is counted without an end: hour by hour more of what seldom runs would be compiled, and stay in memory for nothing
 * (decision 352). It holds for every thread of the process.
 */
export function compileLessWhenSettled(afterMs = SETTLED_MS): void {
  if (!COUNTS_SO) return;
  setTimeout(() => setFlagsFromString(`--interrupt-budget=${SETTLED_BUDGET}`), afterMs).unref();
}
