import { db } from "@/db/client";
import { writeHeartbeats } from "@/db/queries/heartbeats";
import { processWide } from "@/lib/runtime/process-wide";
import { serverProcedure } from "@/lib/runtime/server-rpc";

export interface HeartbeatCall {
  keyId: number;
  subscriptionId: number;
  lastSeenAt: Date;
  client: string | null;
  address: string | null;
  nCalls: number;
}

/**
 * Heartbeats are written in this many parts, so that thousands of calls never make one long statement that delays
 * polls.
 */
export const HEARTBEAT_PARTS = 20;

/** Calls since the last write, one entry per key. */
class HeartbeatBuffer {
  #parts = Array.from({ length: HEARTBEAT_PARTS }, () => new Map<number, HeartbeatCall>());
  #nextPart = 0;
  #newest = new Map<number, Date>();

  /**
   * Records calls of a key. `describe` is called only for the key's first call since the last write. `nCalls` is 0 for
   * the keep-alive of a request that waits or streams.
   */
  note(
    keyId: number,
    subscriptionId: number,
    at: Date,
    describe: () => Pick<HeartbeatCall, "client" | "address">,
    nCalls = 1,
  ): void {
    this.#newest.set(subscriptionId, at);
    const beats = this.#beatsBeside(keyId);
    const beat = beats.get(keyId);
    if (beat) {
      beat.lastSeenAt = at;
      beat.nCalls += nCalls;
    } else {
      beats.set(keyId, { keyId, subscriptionId, lastSeenAt: at, nCalls, ...describe() });
    }
  }

  newestOf(subscriptionId: number): Date | null {
    return this.#newest.get(subscriptionId) ?? null;
  }

  /** Time of the last call by a key that is not written yet; null: none. */
  newestOfKey(keyId: number): Date | null {
    return this.#beatsBeside(keyId).get(keyId)?.lastSeenAt ?? null;
  }

  /** Writes all buffered calls, or keeps them if that fails. */
  async flush(): Promise<void> {
    const beats = this.#parts.flatMap((part) => [...part.values()]);
    for (const part of this.#parts) part.clear();
    await this.#write(beats);
  }

  /** Writes the buffered calls of one part, the next one with each call, or keeps them if that fails. */
  async flushPart(): Promise<void> {
    const part = this.#parts[this.#nextPart];
    this.#nextPart = (this.#nextPart + 1) % HEARTBEAT_PARTS;
    const beats = [...(part?.values() ?? [])];
    part?.clear();
    await this.#write(beats);
  }

  async #write(beats: HeartbeatCall[]): Promise<void> {
    if (beats.length === 0) return;
    try {
      await writeHeartbeats(db(), beats);
      // Written entries are dropped and read from the database when needed; otherwise the map would grow with
      // every subscriber.
      for (const beat of beats) {
        if (this.#newest.get(beat.subscriptionId) === beat.lastSeenAt)
          this.#newest.delete(beat.subscriptionId);
      }
    } catch (error) {
      for (const beat of beats) {
        const noted = this.#beatsBeside(beat.keyId);
        const newer = noted.get(beat.keyId);
        if (newer) newer.nCalls += beat.nCalls;
        else noted.set(beat.keyId, beat);
      }
      throw error;
    }
  }

  /** The buffered calls of the part that a key belongs to. */
  #beatsBeside(keyId: number): Map<number, HeartbeatCall> {
    const part = this.#parts[Math.abs(keyId) % HEARTBEAT_PARTS];
    if (part === undefined) throw new RangeError("the id of a key is not a whole number");
    return part;
  }
}

export function heartbeatBuffer(): HeartbeatBuffer {
  return processWide("heartbeats", () => new HeartbeatBuffer());
}

/** Time of each subscription's newest call that the HTTP server has not written yet. */
export const newestUnwrittenCalls = serverProcedure(
  "newest-calls",
  (subscriptionIds: readonly number[]): Map<number, Date> => {
    const known = subscriptionIds.map((id): [number, Date | null] => [id, heartbeatBuffer().newestOf(id)]);
    return new Map(known.flatMap(([id, at]): [number, Date][] => (at === null ? [] : [[id, at]])));
  },
);

/** Time of a subscription's newest call that the HTTP server has not written yet; null: none. */
export async function newestUnwrittenCall(subscriptionId: number): Promise<Date | null> {
  return (await newestUnwrittenCalls([subscriptionId])).get(subscriptionId) ?? null;
}
