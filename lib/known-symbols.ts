import { db } from "@/db/client";
import { listSymbols } from "@/db/queries/slots";
import { processWide } from "./process-wide";

const REFRESH_MS = 30_000;

interface Held {
  symbols: ReadonlySet<string>;
  readAt: number;
}

const state = () => processWide<{ held: Held | null }>("known-symbols", () => ({ held: null }));

/** Canonical symbols, for matching brokers' names; at most half a minute old, since symbols are only ever added. */
export async function knownSymbols(): Promise<ReadonlySet<string>> {
  const { held } = state();
  if (held && performance.now() - held.readAt < REFRESH_MS) return held.symbols;
  const rows = await listSymbols(db());
  const symbols = new Set(rows.map((row) => row.symbol));
  state().held = { symbols, readAt: performance.now() };
  return symbols;
}
