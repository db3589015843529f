import { sql } from "drizzle-orm";
import { otherReleases } from "@/db/application-name";
import type { DatabaseHandle } from "@/db/client";
import { columns, number, type Row, safeInteger, text, textArray, timestampOrNull } from "./columns";

const FACTS = columns({
  version: text("current_setting('server_version')"),
  sizeBytes: safeInteger("pg_database_size(current_database())"),
  connections: number("(select count(*)::int from pg_stat_activity where datname = current_database())"),
  /** The different `application_name`s of these connections. */
  applicationNames: textArray(
    `array(select distinct application_name from pg_stat_activity
            where datname = current_database() and application_name <> '' order by 1)`,
  ),
  maxConnections: number("current_setting('max_connections')::int"),
  lastProbeAt: timestampOrNull("(select max(minute) from health_probes)"),
});
export type DatabaseStatus = Omit<Row<typeof FACTS>, "applicationNames"> & {
  /** Other releases with processes on this database; null: a release that does not name itself. */
  otherReleases: (string | null)[];
};

/** Version, size, connections and processes of the database, and the minute of the newest health probe. */
export async function readDatabaseStatus(handle: DatabaseHandle): Promise<DatabaseStatus> {
  const { applicationNames, ...facts } = await FACTS.one(handle, sql`select ${FACTS.list}`);
  return { ...facts, otherReleases: otherReleases(applicationNames) };
}

const MISSING_LIMITS = columns({ name: text("name") });

/** Names of PostgreSQL's time limit settings that are 0, which means no limit, for this connection. */
export async function listDisabledTimeouts(handle: DatabaseHandle): Promise<string[]> {
  const rows = await MISSING_LIMITS.all(
    handle,
    sql`
      select ${MISSING_LIMITS.list} from pg_settings
       where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') and setting = '0'
       order by name`,
  );
  return rows.map(({ name }) => name);
}

const TABLE_SIZES = columns({
  name: text("relname"),
  /** The planner's estimate from the last VACUUM or ANALYZE; 0 before the first. */
  rows: safeInteger("greatest(reltuples, 0)::bigint"),
  /** Size of the table with its indexes and TOAST data. */
  bytes: safeInteger("pg_total_relation_size(oid)"),
});
export type TableSize = Row<typeof TABLE_SIZES>;

/** The tables of the schema `public` with their sizes, largest first. */
export async function listTableSizes(handle: DatabaseHandle): Promise<TableSize[]> {
  return TABLE_SIZES.all(
    handle,
    sql`
      select ${TABLE_SIZES.list} from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace
       order by pg_total_relation_size(oid) desc`,
  );
}
