import type postgres from "postgres";

/** The migrated template database that the test files clone. */
export const TEMPLATE_DATABASE = "template_migrated";

/** The URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Makes commits of this server not wait for the disk: a test's data need not survive a crash. */
export async function writeWithoutWaiting(sql: postgres.Sql): Promise<void> {
  for (const name of ["fsync", "full_page_writes"]) await sql.unsafe(`alter system set ${name} = off`);
  await sql`select pg_reload_conf()`;
}
