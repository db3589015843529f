import { db } from "@/db/client";
import { listSymbols } from "@/db/queries/slots";
import { memo } from "@/lib/runtime/memo";

const SHARED_FOR_MS = 30_000;

/** All canonical symbols, with which brokers' names are matched. The list is at most 30 seconds old. */
export const knownSymbols = memo(
  "known-symbols",
  { ttlMs: SHARED_FOR_MS },
  async (): Promise<ReadonlySet<string>> => new Set((await listSymbols(db())).map((row) => row.symbol)),
);
