import { totalRequestCount } from "@/lib/runtime/metrics";

/** Requests per second of this process at which training pauses: some 12,000 clients that poll once a minute. */
const BUSY_PER_SECOND = 200;
const WINDOW_MS = 25;
/** While the gate is closed, training rests for `REST_MS`, then runs for `RUN_MS`: a hundredth of its speed. */
const REST_MS = 1_000;
const RUN_MS = 10;

const OPEN = 0;
const CLOSED = 1;

/** A flag shared by the threads of a process: whether training may run. */
export type TrafficGate = Int32Array<SharedArrayBuffer>;

export function makeTrafficGate(): TrafficGate {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/**
 * Calls `tell` with true when this process begins to get 200 or more requests per second, counted over 25 ms, and with
 * false when that ends. Returns the function that stops this.
 *
 * On a machine with few processors a low priority alone does not protect polls: at any priority a computing thread
 * keeps its processor for some milliseconds after a request has come.
 */
export function watchTraffic(tell: (isBusy: boolean) => void): () => void {
  let before = totalRequestCount();
  let wasBusy = false;
  const timer = setInterval(() => {
    const now = totalRequestCount();
    const isBusy = (now - before) * 1_000 >= BUSY_PER_SECOND * WINDOW_MS;
    before = now;
    if (isBusy === wasBusy) return;
    wasBusy = isBusy;
    tell(isBusy);
  }, WINDOW_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export function setTrafficGate(gate: TrafficGate, isClosed: boolean): void {
  if (Atomics.exchange(gate, 0, isClosed ? CLOSED : OPEN) === CLOSED && !isClosed) Atomics.notify(gate, 0);
}

/** Returns a function for the computing thread to call between its steps: it waits there while the gate is closed. */
export function makeGateWaiter(gate: TrafficGate): () => void {
  let mayRunUntilMs = 0;
  return () => {
    if (Atomics.load(gate, 0) === OPEN || performance.now() < mayRunUntilMs) return;
    Atomics.wait(gate, 0, CLOSED, REST_MS);
    mayRunUntilMs = performance.now() + RUN_MS;
  };
}
