import { processWide } from "../process-wide";

interface Held {
  at: number;
  value: Promise<unknown>;
}

/**
 * The value of `read`, shared by whoever asks for it within `ms`: for figures over long windows, which a minute does
 * not change. A failure is not kept.
 */
export function remembered<T>(name: string, ms: number, read: () => Promise<T>): Promise<T> {
  const store = processWide("admin-remembered", () => new Map<string, Held>());
  const held = store.get(name);
  // Every caller of one name passes the same type.
  if (held && performance.now() - held.at < ms) return held.value as Promise<T>;
  if (store.size > 500) store.clear();
  const value = read();
  store.set(name, { at: performance.now(), value });
  value.catch(() => store.delete(name));
  return value;
}
