import { afterAll, vi } from "vitest";

// Gives each test file of a shared process fresh modules: every module of the service is evaluated again, and the
// environment, process-wide state and timers are reset. Only packages stay loaded.
const holder: Record<symbol, unknown> = globalThis as never;
const AT_FIRST = Symbol.for("signal-delivery-service.suite-environment");

holder[AT_FIRST] ??= { ...process.env };
const atFirst = holder[AT_FIRST] as NodeJS.ProcessEnv;
for (const name of Object.keys(process.env)) if (!(name in atFirst)) delete process.env[name];
Object.assign(process.env, atFirst);
for (const name of Object.getOwnPropertySymbols(holder))
  if (name !== AT_FIRST && name.description?.startsWith("signal-delivery-service.")) delete holder[name];
vi.useRealTimers();
vi.unstubAllGlobals();
vi.unstubAllEnvs();
vi.resetModules();

// The logger listens for process exit.
process.setMaxListeners(0);

const started = new Set<NodeJS.Timeout>();
const { setInterval: realSetInterval } = globalThis;
globalThis.setInterval = Object.assign((...args: Parameters<typeof realSetInterval>) => {
  const timer = realSetInterval(...args);
  started.add(timer);
  return timer;
}, realSetInterval) as typeof realSetInterval;
const listeners = new Set(process.listeners("SIGHUP"));

afterAll(() => {
  for (const timer of started) clearInterval(timer);
  globalThis.setInterval = realSetInterval;
  // The logger with a file listens for SIGHUP.
  for (const listener of process.listeners("SIGHUP"))
    if (!listeners.has(listener)) process.off("SIGHUP", listener);
});
