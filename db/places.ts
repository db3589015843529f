import { BusyDatabaseError } from "./pool";

export interface PlaceLimits {
  /** How many work at once: the connections of the pool. */
  places: number;
  /** How many may wait. */
  waiting: number;
  /** How long one waits. */
  waitMs: number;
}

/** Gives a place back, and says whether what was done there ran into the limit for locks. */
export type Leave = (isLockedOut: boolean) => void;

interface Waiting {
  admit(leave: Leave): void;
  refuse(error: Error): void;
}

/**
 * The places of a pool of connections, with a queue that is bounded in length and in time.
 *
 * When as many in a row as there are places ran into the limit for locks, a table is locked and waiting in the queue
 * would only end the same way: everyone who waits is refused, and so is each newcomer who finds no free place, until
 * something gets through.
 */
export class Places {
  readonly #queue = new Set<Waiting>();
  #taken = 0;
  #lockedOutInARow = 0;

  constructor(readonly limits: PlaceLimits) {}

  /** Whether somebody waits for a place. */
  get isQueued(): boolean {
    return this.#queue.size > 0;
  }

  /** A free place, or null when all are taken. */
  take(): Leave | null {
    if (this.#taken >= this.limits.places) return null;
    this.#taken++;
    return this.#leaveOnce();
  }

  /** The next place that comes free. Rejects with BusyDatabaseError. */
  wait(): Promise<Leave> {
    if (this.#isLockedOut() || this.#queue.size >= this.limits.waiting)
      return Promise.reject(new BusyDatabaseError());
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        this.#queue.delete(waiting);
      };
      const waiting: Waiting = {
        admit: (leave) => {
          settle();
          resolve(leave);
        },
        refuse: (error) => {
          settle();
          reject(error);
        },
      };
      const timer = setTimeout(
        () => setImmediate(() => waiting.refuse(new BusyDatabaseError())),
        this.limits.waitMs,
      );
      this.#queue.add(waiting);
    });
  }

  /** Refuses all who wait. */
  refuseWaiting(error: Error): void {
    for (const waiting of [...this.#queue]) waiting.refuse(error);
  }

  #isLockedOut(): boolean {
    return this.#lockedOutInARow >= this.limits.places;
  }

  #leaveOnce(): Leave {
    let isLeft = false;
    return (isLockedOut) => {
      if (isLeft) return;
      isLeft = true;
      this.#taken--;
      this.#lockedOutInARow = isLockedOut ? this.#lockedOutInARow + 1 : 0;
      if (this.#isLockedOut()) return this.refuseWaiting(new BusyDatabaseError());
      const [next] = this.#queue;
      if (!next) return;
      this.#taken++;
      next.admit(this.#leaveOnce());
    };
  }
}
