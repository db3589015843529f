import { isDeepStrictEqual } from "node:util";
import type { Transaction } from "@/db/client";
import { type Actor, recordAudit } from "@/lib/runtime/audit";

/** An entry of a settings file that differs from what is stored, with the way to store and record it. */
export interface Change {
  target: string;
  store: (tx: Transaction, actor: Actor) => Promise<void>;
}

/** The entries that differ from what is stored. */
export function changesOf<T extends object>(
  kind: string,
  entries: readonly T[],
  idOf: (entry: T) => string,
  before: ReadonlyMap<string, T>,
  write: (tx: Transaction, entry: T) => Promise<unknown>,
): Change[] {
  return entries
    .map((after) => ({ after, former: before.get(idOf(after)) ?? null }))
    .filter(({ after, former }) => !isDeepStrictEqual({ ...former }, { ...after }))
    .map(({ after, former }) => {
      const target = `${kind}/${idOf(after)}`;
      return {
        target,
        store: async (tx, actor) => {
          await write(tx, after);
          await recordAudit(tx, {
            actor,
            action: `${kind}.import`,
            target,
            details: { before: former, after },
          });
        },
      };
    });
}
