import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { at, columns } from "./columns";

const CLOCK = columns({ now: at("clock_timestamp()") });

/** The database's clock, as of now and not of the beginning of the transaction: the one clock that all instances share. */
export async function readClock(handle: Handle): Promise<Date> {
  return (await CLOCK.one(handle, sql`select ${CLOCK.list}`)).now;
}
