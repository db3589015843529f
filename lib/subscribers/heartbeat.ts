import { db } from "@/db/client";
import { writeHeartbeats } from "@/db/queries/heartbeats";
import { processWide } from "@/lib/runtime/process-wide";

export interface Beat {
  keyId: number;
  subscriptionId: number;
  lastSeenAt: Date;
  client: string | null;
  address: string | null;
  nCalls: number;
}

/** Calls since the last write, one entry a key: at most one write per key and interval. */
class HeartbeatBuffer {
  #beats = new Map<number, Beat>();
  #newest = new Map<number, Date>();

  /** `describe` is asked only for the first call of an interval. `nCalls` is 0 for a sign of life of a call that waits. */
  note(
    keyId: number,
    subscriptionId: number,
    at: Date,
    describe: () => Pick<Beat, "client" | "address">,
    nCalls = 1,
  ): void {
    this.#newest.set(subscriptionId, at);
    const beat = this.#beats.get(keyId);
    if (beat) {
      beat.lastSeenAt = at;
      beat.nCalls += nCalls;
    } else {
      this.#beats.set(keyId, { keyId, subscriptionId, lastSeenAt: at, nCalls, ...describe() });
    }
  }

  newestOf(subscriptionId: number): Date | null {
    return this.#newest.get(subscriptionId) ?? null;
  }

  /** Last call by one key that is not written yet. */
  newestOfKey(keyId: number): Date | null {
    return this.#beats.get(keyId)?.lastSeenAt ?? null;
  }

  /** Writes the noted calls. When that fails, all of them are kept for the next time. */
  async flush(): Promise<void> {
    if (this.#beats.size === 0) return;
    const batch = this.#beats;
    this.#beats = new Map();
    try {
      await writeHeartbeats(db("writes"), [...batch.values()]);
      // Written entries are dropped and read from the database when needed; otherwise the map would grow with every
      // subscriber.
      for (const beat of batch.values()) {
        if (this.#newest.get(beat.subscriptionId) === beat.lastSeenAt)
          this.#newest.delete(beat.subscriptionId);
      }
    } catch (error) {
      for (const [keyId, beat] of batch) {
        const newer = this.#beats.get(keyId);
        if (newer) newer.nCalls += beat.nCalls;
        else this.#beats.set(keyId, beat);
      }
      throw error;
    }
  }
}

export function heartbeats(): HeartbeatBuffer {
  return processWide("heartbeats", () => new HeartbeatBuffer());
}
