import { db } from "@/db/client";
import { listSymbols } from "@/db/queries/slots";
import { memo } from "@/lib/runtime/memo";

const SHARED_FOR_MS = 30_000;

/** Canonical symbols for matching brokers' names, at most half a minute old. Symbols are only ever added. */
export const knownSymbols = memo(
  "known-symbols",
  { ttlMs: SHARED_FOR_MS },
  async (): Promise<ReadonlySet<string>> => new Set((await listSymbols(db())).map((row) => row.symbol)),
);
