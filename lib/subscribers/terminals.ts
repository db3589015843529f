import { db } from "@/db/client";
import { type TerminalBeat, writeTerminals } from "@/db/queries/terminals";
import { processWide } from "@/lib/runtime/process-wide";

/** A terminal's description of itself in `X-Terminal`. */
export type TerminalHeader = Pick<TerminalBeat, "terminal" | "server" | "account">;

const NAME = /^\s*([A-Za-z0-9_-]{8,64})\s*(?:;|$)/;
const SERVER = /;\s*server="([^"\p{Cc}]{1,64})"/u;
const ACCOUNT = /;\s*account=(demo|real|contest)\b/;

/**
 * Reads `X-Terminal`: a name of 8 to 64 letters, digits, `_` or `-`, then optionally `;server="…"` and `;account=` with
 * `demo`, `real` or `contest`. null without the header or with a malformed name: the request is then served as if it
 * had none, because a header must not prevent a trade.
 */
export function readTerminal(headers: Headers): TerminalHeader | null {
  const sent = headers.get("x-terminal");
  const terminal = sent === null ? undefined : NAME.exec(sent)?.[1];
  if (sent === null || terminal === undefined) return null;
  return {
    terminal,
    server: SERVER.exec(sent)?.[1]?.trim() || null,
    account: ACCOUNT.exec(sent)?.[1] ?? null,
  };
}

/** Maximum number of terminals buffered until the next write, because a client can invent names. */
const MAX_UNWRITTEN = 50_000;

/** Calls of terminals since the last write, one entry per terminal. */
class TerminalBuffer {
  #beats = new Map<string, TerminalBeat>();

  note(subscriptionId: number, header: TerminalHeader, at: Date): void {
    const id = `${subscriptionId}|${header.terminal}`;
    const beat = this.#beats.get(id);
    if (beat) {
      beat.lastSeenAt = at;
      beat.nCalls++;
    } else if (this.#beats.size < MAX_UNWRITTEN) {
      this.#beats.set(id, { subscriptionId, ...header, lastSeenAt: at, nCalls: 1 });
    }
  }

  /** Writes all entries. If that fails they are dropped: the next call of a terminal sends its description again. */
  async flush(): Promise<void> {
    const beats = [...this.#beats.values()];
    this.#beats.clear();
    if (beats.length > 0) await writeTerminals(db(), beats);
  }
}

export function terminalBuffer(): TerminalBuffer {
  return processWide("terminals", () => new TerminalBuffer());
}
