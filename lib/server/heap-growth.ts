import { setFlagsFromString } from "node:v8";
import { SECOND_MS } from "@/lib/time";

/** What the heap may grow by, in percent of what lives, before the collector looks at all of it again. */
const USUAL = 25;
const WITH_MANY_OPEN = 200;
/** Open requests from which on telling them all makes more garbage than the usual growth has room for. */
const MANY_OPEN = 1_000;

/**
 * Keeps the heap near what lives: a download of a long history leaves little alive behind it, and by the collector's own
 * rule it would take a process to double its size all the same. It holds for every thread of the process.
 */
export function limitHeapGrowth(percent = USUAL): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/**
 * Lets the heap grow further where thousands of requests are open: telling them of one signal makes a quarter of the heap
 * garbage, and the collector would go through all that lives while they are told; so few tellings meet that (decisions 299
 * and 322).
 */
export function growWithOpenRequests(open: () => number): void {
  let percent = USUAL;
  limitHeapGrowth(percent);
  setInterval(() => {
    const wanted = open() < MANY_OPEN ? USUAL : WITH_MANY_OPEN;
    if (wanted === percent) return;
    percent = wanted;
    limitHeapGrowth(percent);
  }, SECOND_MS).unref();
}
