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

/**
 * Of so many parts of the keys one is written at a time, so that thousands of calls are never one long statement that polls
 * wait beside.
 */
export const HEARTBEAT_PARTS = 20;

/** Turns of the parts, of five seconds each, that a key may be quiet before its beat is let go: most poll once a minute. */
const QUIET_TURNS = 14;

/** When a subscription called last, shared by the beats of its keys. */
interface Newest {
  at: Date;
  nBeats: number;
}

/**
 * The beat of a key that calls. It stays after it is written, for the calls after it, until these do not come: thousands of new ones a second would each live just long enough to be carried to the old by the collector.
 */
interface KeptBeat extends Beat {
  isUnwritten: boolean;
  quietTurns: number;
  readonly newest: Newest;
}

/** Calls since the last write, one entry a key. */
class HeartbeatBuffer {
  #parts = Array.from({ length: HEARTBEAT_PARTS }, () => new Map<number, KeptBeat>());
  #nextPart = 0;
  #newest = new Map<number, Newest>();

  /** `describe` is asked only for the first call of an interval. `nCalls` is 0 for a sign of life of a call that waits. */
  note(
    keyId: number,
    subscriptionId: number,
    at: Date,
    describe: () => Pick<Beat, "client" | "address">,
    nCalls = 1,
  ): void {
    const beat = this.#beatsBeside(keyId).get(keyId);
    if (beat === undefined) {
      this.#keep({ keyId, subscriptionId, lastSeenAt: at, nCalls, ...describe() });
      return;
    }
    if (!beat.isUnwritten) {
      beat.isUnwritten = true;
      const { client, address } = describe();
      // Equal text that is old already is better than its young copy.
      if (beat.client !== client) beat.client = client;
      if (beat.address !== address) beat.address = address;
    }
    beat.lastSeenAt = at;
    beat.nCalls += nCalls;
    beat.newest.at = at;
  }

  /** When a subscription was heard of lately by this process; null of one whose calls are long written. */
  newestOf(subscriptionId: number): Date | null {
    return this.#newest.get(subscriptionId)?.at ?? null;
  }

  /** Last call by one key that is not written yet. */
  newestOfKey(keyId: number): Date | null {
    const beat = this.#beatsBeside(keyId).get(keyId);
    return beat?.isUnwritten ? beat.lastSeenAt : null;
  }

  /** Writes all noted calls. When that fails, they are kept for the next time. */
  async flush(): Promise<void> {
    await this.#write(this.#parts.flatMap((part) => this.#takeUnwritten(part)));
  }

  /** The same of the next part in turn. */
  async flushPart(): Promise<void> {
    const part = this.#parts[this.#nextPart];
    this.#nextPart = (this.#nextPart + 1) % HEARTBEAT_PARTS;
    if (part) await this.#write(this.#takeUnwritten(part));
  }

  /** What is to be written of a part. Keys that have gone quiet are let go, and read from the database. */
  #takeUnwritten(part: Map<number, KeptBeat>): Beat[] {
    const taken: Beat[] = [];
    for (const beat of part.values()) {
      if (beat.isUnwritten) {
        const { keyId, subscriptionId, lastSeenAt, client, address, nCalls } = beat;
        taken.push({ keyId, subscriptionId, lastSeenAt, client, address, nCalls });
        beat.isUnwritten = false;
        beat.nCalls = 0;
        beat.quietTurns = 0;
      } else if (++beat.quietTurns > QUIET_TURNS) {
        part.delete(beat.keyId);
        beat.newest.nBeats--;
        if (beat.newest.nBeats === 0) this.#newest.delete(beat.subscriptionId);
      }
    }
    return taken;
  }

  async #write(beats: Beat[]): Promise<void> {
    if (beats.length === 0) return;
    try {
      await writeHeartbeats(db("writes"), beats);
    } catch (error) {
      for (const beat of beats) this.#giveBack(beat);
      throw error;
    }
  }

  #giveBack(beat: Beat): void {
    const kept = this.#beatsBeside(beat.keyId).get(beat.keyId);
    if (kept === undefined) {
      this.#keep(beat);
      return;
    }
    kept.nCalls += beat.nCalls;
    kept.isUnwritten = true;
  }

  #keep(beat: Beat): void {
    const { keyId, subscriptionId, lastSeenAt: at } = beat;
    const newest = this.#newest.get(subscriptionId) ?? { at, nBeats: 0 };
    if (newest.at < at) newest.at = at;
    newest.nBeats++;
    this.#newest.set(subscriptionId, newest);
    this.#beatsBeside(keyId).set(keyId, { ...beat, isUnwritten: true, quietTurns: 0, newest });
  }

  /** The part that a key is in. */
  #beatsBeside(keyId: number): Map<number, KeptBeat> {
    const part = this.#parts[Math.abs(keyId) % HEARTBEAT_PARTS];
    if (part === undefined) throw new RangeError("the id of a key is no whole number");
    return part;
  }
}

export function heartbeats(): HeartbeatBuffer {
  return processWide("heartbeats", () => new HeartbeatBuffer());
}
