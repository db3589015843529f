import type postgres from "postgres";

/**
 * The schema `public` as text, ordered by name; columns keep their order. Read from the catalogue, because pg_dump of
 * the server's version may not be installed. NOT NULL constraints appear without names, which exist only since
 * PostgreSQL 18.
 */
export async function dumpSchema(sql: postgres.Sql): Promise<string> {
  const lines = async (query: string) =>
    (await sql.unsafe<{ line: string }[]>(query)).map(({ line }) => line);
  const sections: [string, string][] = [
    [
      "columns",
      `select format('%s.%s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod))
           || case when a.attnotnull then ' not null' else '' end
           || case a.attidentity when 'a' then ' identity always' when 'd' then ' identity by default' else '' end
           || case a.attgenerated when 's' then ' generated ' when 'v' then ' virtual '
                else case when d.oid is null then '' else ' default ' end end
           || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
           || case when a.attcollation not in (0, t.typcollation) then ' collate ' || a.attcollation::regcollation else '' end
           || case when a.attstorage <> t.typstorage then ' storage ' || a.attstorage::text else '' end
           || coalesce(' options ' || a.attoptions::text, '') as line
         from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
         left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and a.attnum > 0
          and not a.attisdropped
        order by c.relname collate "C", a.attnum`,
    ],
    [
      "tables, indexes and sequences with options of their own",
      `select format('%s %s persistence %s options %s toast %s identity %s security %s', c.relkind, c.relname,
                c.relpersistence, c.reloptions, t.reloptions, c.relreplident, c.relrowsecurity) as line
         from pg_class c left join pg_class t on t.oid = c.reltoastrelid
        where c.relnamespace = 'public'::regnamespace order by c.relname collate "C"`,
    ],
    [
      "constraints",
      `select format('%s.%s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line from pg_constraint
        where connamespace = 'public'::regnamespace and contype <> 'n' order by conrelid::regclass::text collate "C", conname collate "C"`,
    ],
    [
      "indexes",
      `select indexdef as line from pg_indexes where schemaname = 'public' order by indexname collate "C"`,
    ],
    [
      "sequences",
      `select format('%s %s start %s min %s max %s by %s cycle %s cache %s owner %s', s.sequencename, s.data_type, s.start_value,
                s.min_value, s.max_value, s.increment_by, s.cycle, s.cache_size,
                (select format('%s.%s %s', d.refobjid::regclass, a.attname, d.deptype) from pg_depend d
                   join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
                  where d.classid = 'pg_class'::regclass and d.objid = s.sequencename::regclass
                    and d.refclassid = 'pg_class'::regclass)) as line
         from pg_sequences s where s.schemaname = 'public' order by s.sequencename collate "C"`,
    ],
    [
      "functions",
      `select pg_get_functiondef(oid) as line from pg_proc where pronamespace = 'public'::regnamespace
        order by oid::regprocedure::text collate "C"`,
    ],
    [
      "triggers",
      `select format('%s enabled %s', pg_get_triggerdef(g.oid), g.tgenabled) as line
         from pg_trigger g join pg_class c on c.oid = g.tgrelid
        where not g.tgisinternal and c.relnamespace = 'public'::regnamespace
        order by c.relname collate "C", g.tgname collate "C"`,
    ],
    [
      "everything else",
      `select 'type ' || typname as line from pg_type t where typnamespace = 'public'::regnamespace and typrelid = 0
          and typelem = 0
        union all select 'extension ' || extname from pg_extension where extname <> 'plpgsql'
        union all select 'policy ' || polname from pg_policy
        union all select 'rule ' || rulename from pg_rules where schemaname = 'public'
        union all select 'comment ' || pg_describe_object(classoid, objoid, objsubid) || ': ' || description
          from pg_description where objoid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
        order by 1`,
    ],
  ];
  const parts: string[] = [];
  for (const [title, query] of sections) parts.push(`-- ${title}`, ...(await lines(query)), "");
  return parts.join("\n");
}

/** The rows of every table as JSON, one per line; every timestamp in UTC is replaced by "now". */
export async function dumpRows(sql: postgres.Sql): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename collate "C"`;
  const parts: string[] = [];
  for (const { name } of tables) {
    const rows = await sql<
      { line: string }[]
    >`select to_jsonb(t)::text as line from ${sql(name)} t order by 1`;
    if (rows.length > 0) parts.push(`-- ${name}`, ...rows.map(({ line }) => line), "");
  }
  return parts.join("\n").replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+\+00:00"/g, '"now"');
}
