import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, timestamp } from "./columns";

const CLOCK = columns({ now: timestamp("clock_timestamp()") });

/** Current time by the database's clock, which all processes share; in a transaction, not the time of its start. */
export async function readClock(handle: DatabaseHandle): Promise<Date> {
  return (await CLOCK.one(handle, sql`select ${CLOCK.list}`)).now;
}
