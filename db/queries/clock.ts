import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { columns, timestamp } from "./columns";

const CLOCK = columns({ now: timestamp("clock_timestamp()") });

/** The database's clock, now and not at the start of the transaction: the only clock that all replicas share. */
export async function readClock(handle: Handle): Promise<Date> {
  return (await CLOCK.one(handle, sql`select ${CLOCK.list}`)).now;
}
