import postgres from "postgres";
import { processWide } from "@/lib/runtime/process-wide";
import { connectionOptions, directDatabaseUrl } from "./client";

type Hear = () => void;

/**
 * The one connection of this process that hears what transactions announce. A notification only saves time: whoever
 * listens also reads now and then, and believes what it reads.
 */
class Notifications {
  readonly #listeners = new Map<string, Set<Hear>>();
  #connection: postgres.Sql | null = null;

  /** Calls `hear` after each announcement on the channel, until the returned function is called. */
  listen(channel: string, hear: Hear): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(hear));
    if (this.#connection === null) this.#connect();
    else if (listeners.size === 1) this.#hear(this.#connection, channel);
    return () => {
      listeners.delete(hear);
      if (listeners.size === 0) this.#listeners.delete(channel);
      if (this.#listeners.size === 0) this.#disconnect();
    };
  }

  /**
   * Opens another connection. For a listener that read a change which it was never told of: the driver gives up
   * listening when the database is away for longer than its first try.
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
    const told = () => {
      if (this.#connection !== connection) return;
      for (const hear of this.#listeners.get(channel) ?? []) hear();
    };
    // A failure shows as a change that was read and not heard of, and then the connection is renewed.
    connection.listen(channel, told).catch(() => undefined);
  }

  #disconnect(): void {
    void this.#connection?.end({ timeout: 1 }).catch(() => undefined);
    this.#connection = null;
  }
}

export function notifications(): Notifications {
  return processWide("notifications", () => new Notifications());
}
