import { isMainThread } from "node:worker_threads";
import { processWide } from "./process-wide";
import { atFirst } from "./processes";

/** Gives a place back; calling it again does nothing. */
export type GiveBack = () => void;

/** Places by name that are taken for a while, and by whom: the places of a process that dies are free again. */
export class Places {
  readonly #taken = new Map<string, number>();
  readonly #byHolder = new Map<string, Map<string, number>>();

  /** Takes one of `most` places of this name, if one is free. */
  take(holder: string, name: string, most: number): boolean {
    if ((this.#taken.get(name) ?? 0) >= most) return false;
    add(this.#taken, name, 1);
    const held = this.#byHolder.get(holder) ?? new Map<string, number>();
    this.#byHolder.set(holder, held);
    add(held, name, 1);
    return true;
  }

  give(holder: string, name: string): void {
    const held = this.#byHolder.get(holder);
    if (!held?.has(name)) return;
    add(held, name, -1);
    add(this.#taken, name, -1);
    if (held.size === 0) this.#byHolder.delete(holder);
  }

  /** Gives back everything that a holder has. */
  giveAll(holder: string): void {
    for (const [name, n] of this.#byHolder.get(holder) ?? []) add(this.#taken, name, -n);
    this.#byHolder.delete(holder);
  }
}

function add(counts: Map<string, number>, name: string, n: number): void {
  const count = (counts.get(name) ?? 0) + n;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}

/** The places of this process, or, in the first of several, those of all of them. */
export const places = () => processWide("places", () => new Places());

const holder = (pid: number | undefined, isMain: boolean) => `${pid}${isMain ? "" : " pages"}`;
/** Who takes places in a process: its main thread, and the one that makes pages. */
export const holdersIn = (pid: number | undefined) => [holder(pid, true), holder(pid, false)];

const OWN = holder(process.pid, isMainThread);
const take = atFirst("take-place", (holder: string, name: string, most: number) =>
  places().take(holder, name, most),
);
const give = atFirst("give-place", (holder: string, name: string) => places().give(holder, name));
const giveAll = atFirst("give-all-places", (holder: string) => places().giveAll(holder));

/** Gives back what the thread that made pages had taken when it ended. */
export function givePlacesOfThread(): void {
  void giveAll(holder(process.pid, false));
}

/** Takes one of `most` places of this name, over all processes of the port; null when all are taken. */
export async function takePlace(name: string, most: number): Promise<GiveBack | null> {
  if (!(await take(OWN, name, most))) return null;
  let isHeld = true;
  return () => {
    if (isHeld) void give(OWN, name);
    isHeld = false;
  };
}
