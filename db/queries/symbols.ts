import { asc, eq, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { symbols } from "@/db/schema";

const SETTINGS = {
  symbol: symbols.symbol,
  calendar: symbols.calendar,
  digits: symbols.digits,
  costKind: symbols.costKind,
  costValue: symbols.costValue,
  description: symbols.description,
  aliases: symbols.aliases,
  isGuessed: symbols.isGuessed,
};

/** The settings of a symbol, which an operator can change. */
export type SymbolSettings = Omit<typeof symbols.$inferSelect, "createdAt">;

/** The settings of all symbols, those with a guessed calendar first. */
export async function listSymbolSettings(handle: DatabaseHandle): Promise<SymbolSettings[]> {
  return handle.select(SETTINGS).from(symbols).orderBy(sql`is_guessed desc`, asc(symbols.symbol));
}

/** The symbols whose calendar is a guess. */
export async function listSymbolsWithGuessedCalendar(handle: DatabaseHandle): Promise<string[]> {
  const rows = await handle
    .select({ symbol: symbols.symbol })
    .from(symbols)
    .where(sql`is_guessed`)
    .orderBy(asc(symbols.symbol));
  return rows.map(({ symbol }) => symbol);
}

/** The symbols with slots whose round-trip cost is 0, as it is for a new symbol until an administrator enters one. */
export async function listSymbolsWithoutCost(handle: DatabaseHandle): Promise<string[]> {
  const rows = await handle.execute<{ symbol: string }>(sql`
    select symbol from symbols where cost_value = 0 and symbol in (select symbol from slots) order by symbol`);
  return rows.map(({ symbol }) => symbol);
}

/** The symbols with stored aliases, which are names that brokers use for them. */
export async function listAliases(handle: DatabaseHandle): Promise<{ symbol: string; aliases: string[] }[]> {
  return handle
    .select({ symbol: symbols.symbol, aliases: symbols.aliases })
    .from(symbols)
    .where(sql`aliases <> '{}'`);
}

/** The settings of a symbol, locked until commit; null: unknown symbol. */
export async function lockSymbol(tx: Transaction, symbol: string): Promise<SymbolSettings | null> {
  const [row] = await tx.select(SETTINGS).from(symbols).where(eq(symbols.symbol, symbol)).for("update");
  return row ?? null;
}

/** Inserts or replaces a symbol with its settings. */
export async function writeSymbol(tx: Transaction, settings: SymbolSettings): Promise<void> {
  const { symbol: _, ...set } = settings;
  await tx.insert(symbols).values(settings).onConflictDoUpdate({ target: symbols.symbol, set });
}
