import type { Database, DatabaseHandle } from "@/db/client";
import { listSymbolsWithGuessedCalendar } from "@/db/queries/symbols";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import type { IngestResult } from "./result";

interface OfSlot {
  symbol: string;
  timeframe: string;
}

/** A producer token and the slots that it may send, such as `EURUSD/H1`. */
interface Token {
  id: number;
  name: string;
  slots: ReadonlySet<string>;
}

export interface IngestCall {
  actor: Actor;
  /** Null for the administrator, who may send every slot. */
  token: Token | null;
  kind: "candles" | "models" | "signals" | "features";
  /** Whether this is a dry run, which gives the answer of a real call but does not commit. */
  check: boolean;
}

/**
 * Ingests items for the administrator or a producer token, all or none. Throws 403 `slot_not_in_token`, naming the
 * first item, if an item is of a slot that the token may not send. A call of a token that stores signals or models is
 * written to the audit log.
 */
export async function ingestForSender<T extends OfSlot>(
  database: Database,
  { actor, token, kind, check }: IngestCall,
  items: T[],
  store: (handle: DatabaseHandle, items: T[]) => Promise<IngestResult>,
): Promise<IngestResult> {
  const ingest = async (handle: DatabaseHandle, of: T[]): Promise<IngestResult> => {
    const result = await store(handle, of);
    const withoutCalendar = await listWithoutCalendar(handle, of);
    return withoutCalendar.length === 0 ? result : { ...result, withoutCalendar };
  };
  if (token !== null) requireOwnSlots(token, items);
  // Candles and features are not audited: they arrive every few minutes, and a wrong one can be corrected.
  const isAudited = token !== null && (kind === "signals" || kind === "models");
  if (!isAudited && !check) return ingest(database, items);
  try {
    return await database.transaction(async (tx) => {
      const result = await ingest(tx, items);
      if (check) throw new Checked(result);
      if (token !== null && result.accepted > 0)
        await recordAudit(tx, {
          actor,
          action: `ingest.${kind}`,
          target: `producer-token/${token.id}`,
          details: { name: token.name, accepted: result.accepted, slots: namedSlots(items) },
        });
      return result;
    });
  } catch (error) {
    if (error instanceof Checked) return error.result;
    throw error;
  }
}

/** Thrown to roll back a dry run; carries its result. */
class Checked extends Error {
  constructor(readonly result: IngestResult) {
    super("a dry run stores nothing");
  }
}

/** The symbols of these items whose trading calendar is a guess. */
async function listWithoutCalendar(handle: DatabaseHandle, items: readonly OfSlot[]): Promise<string[]> {
  const symbols = new Set(items.map(({ symbol }) => symbol));
  return (await listSymbolsWithGuessedCalendar(handle)).filter((symbol) => symbols.has(symbol));
}

function requireOwnSlots(token: Token, items: readonly OfSlot[]): void {
  for (const [index, { symbol, timeframe }] of items.entries())
    if (!token.slots.has(`${symbol}/${timeframe}`))
      throw new AppError("slot_not_in_token", {
        detail: `items.${index}: this token does not send ${symbol}/${timeframe}.`,
      });
}

const MAX_NAMED = 20;

const namedSlots = (items: readonly OfSlot[]): string[] =>
  [...new Set(items.map(({ symbol, timeframe }) => `${symbol}/${timeframe}`))].slice(0, MAX_NAMED);
