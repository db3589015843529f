import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { processWide } from "@/lib/runtime/process-wide";
import { connectionOptions, type Database, directDatabaseUrl } from "./client";

type Hear = () => void;

/** Channel of the notifications with which `measure` tests the connection. */
const ECHO = "echo";

/**
 * This process' connection for LISTEN; the worker's jobs have another one. Notifications may be lost, so a listener
 * that needs each change also polls, and acts on the state that it reads from the database, not on the notification.
 */
class Notifications {
  readonly #listeners = new Map<string, Set<Hear>>();
  /** By channel: the promise of the LISTEN on the current connection; it resolves to null if the LISTEN failed. */
  readonly #heard = new Map<string, Promise<postgres.ListenMeta | null>>();
  #connection: postgres.Sql | null = null;

  /** Calls `hear` after each notification on the channel until the returned function is called. */
  listen(channel: string, hear: Hear): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(hear));
    if (this.#connection === null) this.#connect();
    else if (listeners.size === 1) this.#hear(this.#connection, channel);
    return () => {
      listeners.delete(hear);
      if (listeners.size > 0 || !this.#listeners.delete(channel)) return;
      if (this.#listeners.size === 0) return this.#disconnect();
      void this.#heard.get(channel)?.then((meta) => meta?.unlisten().catch(() => undefined));
    };
  }

  /**
   * Time in ms from sending a notification through `database` to its receipt by this process. Null if LISTEN fails, or
   * if either the LISTEN or the receipt takes longer than `limitMs` from the call. Throws if sending fails.
   */
  async measure(database: Database, limitMs: number): Promise<number | null> {
    let hear: Hear = () => undefined;
    const heard = new Promise<true>((done) => {
      hear = () => done(true);
    });
    const stop = this.listen(ECHO, hear);
    const over = new AbortController();
    const late = pause(limitMs, null, { signal: over.signal }).catch(() => null);
    try {
      if ((await Promise.race([this.#heard.get(ECHO), late])) === null) return null;
      const startedAt = performance.now();
      const announced = database.execute(sql`select pg_notify(${ECHO}, '')`).then(() => heard);
      announced.catch(() => undefined);
      return (await Promise.race([announced, late])) === null ? null : performance.now() - startedAt;
    } finally {
      over.abort();
      stop();
    }
  }

  /**
   * Replaces the connection, if one is open. A listener calls it after reading several changes without a notification:
   * the driver stops listening for good if its first attempt to reconnect fails.
   */
  renew(): void {
    if (this.#connection === null) return;
    this.#disconnect();
    this.#connect();
  }

  #connect(): void {
    const connection = postgres(directDatabaseUrl(), {
      ...connectionOptions(1),
      idle_timeout: 0,
      max_lifetime: null,
    });
    this.#connection = connection;
    for (const channel of this.#listeners.keys()) this.#hear(connection, channel);
  }

  #hear(connection: postgres.Sql, channel: string): void {
    const notify = () => {
      if (this.#connection !== connection) return;
      for (const hear of this.#listeners.get(channel) ?? []) hear();
    };
    // A failed LISTEN is noticed later: a listener reads several changes without a notification and calls `renew`.
    this.#heard.set(
      channel,
      connection.listen(channel, notify).catch(() => null),
    );
  }

  #disconnect(): void {
    void this.#connection?.end({ timeout: 1 }).catch(() => undefined);
    this.#connection = null;
    this.#heard.clear();
  }
}

export function notificationListener(): Notifications {
  return processWide("notifications", () => new Notifications());
}
