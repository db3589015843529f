import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { atOrNull, bigNumber, columns, number, type Row, text } from "./columns";

const FACTS = columns({
  version: text("current_setting('server_version')"),
  sizeBytes: bigNumber("pg_database_size(current_database())"),
  connections: number("(select count(*)::int from pg_stat_activity where datname = current_database())"),
  maxConnections: number("current_setting('max_connections')::int"),
  lastProbeAt: atOrNull("(select max(minute) from health_probes)"),
});
export type DatabaseFacts = Row<typeof FACTS>;

/** State of the database itself, and the minute of the newest probe. */
export async function readDatabaseFacts(handle: Handle): Promise<DatabaseFacts> {
  return FACTS.one(handle, sql`select ${FACTS.list}`);
}
