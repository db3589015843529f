import type postgres from "postgres";

interface Lock {
  kind: string;
  mode: string;
  table: string | null;
  granted: boolean;
}

/** Locks that sessions of this database hold or wait for, without those of parallel tests in other databases. */
export function listLocks(sql: postgres.ISql): Promise<Lock[]> {
  return sql<Lock[]>`
    select held.locktype as kind, held.mode, held.granted,
      case when held.database is not null then held.relation::regclass::text end as "table"
    from pg_locks held join pg_stat_activity session using (pid)
    where session.datname = current_database()`;
}
