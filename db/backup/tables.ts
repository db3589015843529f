import type postgres from "postgres";

/** A table as backups read and write it. */
export interface StoredTable {
  name: string;
  /** Names of the columns in alphabetical order, without generated columns. */
  columns: string[];
  /** Columns that order the rows: the primary key, or all columns of a table without one. */
  key: string[];
}

/** Every table of the schema `public`, each after the tables that its foreign keys refer to. Throws on a cycle. */
export async function listStoredTables(tx: postgres.Sql | postgres.TransactionSql): Promise<StoredTable[]> {
  const tables = await tx<(StoredTable & { refersTo: string[] })[]>`
    select c.relname as name,
           (select array_agg(a.attname::text order by a.attname) from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
           coalesce((select array_agg(a.attname::text order by k.place)
                       from pg_index i, unnest(i.indkey::int[]) with ordinality k (attnum, place), pg_attribute a
                      where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.attnum),
                    '{}') as key,
           coalesce((select array_agg(distinct f.confrelid::regclass::text) from pg_constraint f
                      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid), '{}') as "refersTo"
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
     order by c.relname`;
  const ordered: StoredTable[] = [];
  const left = new Map(tables.map((table) => [table.name, table]));
  while (left.size > 0) {
    const next = [...left.values()].filter(({ refersTo }) => !refersTo.some((name) => left.has(name)));
    if (next.length === 0) throw new Error(`foreign keys form a cycle: ${[...left.keys()].join(", ")}`);
    for (const { name, columns, key } of next) {
      ordered.push({ name, columns, key: key.length > 0 ? key : columns });
      left.delete(name);
    }
  }
  return ordered;
}

/** Quotes the name of a table, column or sequence for SQL. */
export const quoteIdentifier = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** Quotes names for SQL and joins them with commas. */
export const quotedNameList = (names: readonly string[]) => names.map(quoteIdentifier).join(", ");
