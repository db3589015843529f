import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Handle } from "@/db/client";

/**
 * Column definitions for hand-written statements: `columns({ openedAt: timestamp("e.opened_at") })` provides the select
 * list, the decoder of its rows and, as `Row<typeof ...>`, their type.
 */

/** SQL of the source, never of a request, unless it is a `sql` template with parameters. */
type Source = string | SQL;

interface Column<T> {
  source: SQL;
  decode: (raw: unknown) => T;
  /** The driver's value needs no conversion. */
  isUnconverted?: true;
}

type Shape = Record<string, Column<unknown>>;
/** The row type of a set of columns. */
export type Decoded<S extends Shape> = { [K in keyof S]: S[K] extends Column<infer T> ? T : never };

export interface Columns<R> {
  /** The select list; each column is named as here. */
  list: SQL;
  /** Decodes one row, for statements that select two sets of columns. */
  decode(raw: Record<string, unknown>): R;
  /** The rows of a statement that selects `list`. */
  all(handle: Handle, statement: SQL): Promise<R[]>;
  /** The first row, or null. */
  first(handle: Handle, statement: SQL): Promise<R | null>;
  /** The first row of a statement that always has one, such as an aggregate. */
  one(handle: Handle, statement: SQL): Promise<R>;
}

/** The type of a decoded row. */
export type Row<C> = C extends Columns<infer R> ? R : never;

export function columns<S extends Shape>(shape: S): Columns<Decoded<S>> {
  const entries = Object.entries(shape);
  const list = writtenOnce(
    sql.join(
      entries.map(([name, { source }]) => sql`${source} as ${sql.identifier(name)}`),
      sql`, `,
    ),
  );
  // Rows of a single set of columns are decoded in place, because track records have a hundred thousand rows.
  const written = entries.filter(([, { isUnconverted }]) => !isUnconverted);
  const decodeInPlace = (raw: Record<string, unknown>) => {
    for (const [name, column] of written) raw[name] = column.decode(raw[name]);
    // Every value has been decoded, so the row now has the types of its columns.
    return raw as Decoded<S>;
  };
  const decode = (raw: Record<string, unknown>) =>
    decodeInPlace(Object.fromEntries(entries.map(([name]) => [name, raw[name]])));
  const all = async (handle: Handle, statement: SQL) => (await handle.execute(statement)).map(decodeInPlace);
  const first = async (handle: Handle, statement: SQL) => (await all(handle, statement))[0] ?? null;
  const one = async (handle: Handle, statement: SQL) => {
    const row = await first(handle, statement);
    if (row === null) throw new Error("a statement that always has a row returned none");
    return row;
  };
  return { list, decode, all, first, one };
}

const dialect = new PgDialect();

/** The SQL as one string if it has no parameters: otherwise building the select list is most of the cost of a statement. */
function writtenOnce(list: SQL): SQL {
  const { sql: text, params } = dialect.sqlToQuery(list);
  return params.length === 0 ? sql.raw(text) : list;
}

const toSql = (source: Source): SQL => (typeof source === "string" ? sql.raw(source) : source);

/**
 * A column whose driver value needs no conversion. The type comes from the column's kind or its declaration, never
 * from the context: hence `NoInfer`.
 */
function unconverted<T>(source: Source): Column<T> {
  // The column kinds below name the type that the driver produces.
  return { source: toSql(source), decode: (raw) => raw as T, isUnconverted: true };
}

/** Text, or one of some words. */
export const text = <T extends string | null = string>(source: Source): Column<NoInfer<T>> =>
  unconverted<T>(source);
/** `int`, `smallint` or `double precision`. */
export const number = <T extends number | null = number>(source: Source): Column<NoInfer<T>> =>
  unconverted<T>(source);
export const boolean = <T extends boolean | null = boolean>(source: Source): Column<NoInfer<T>> =>
  unconverted(source);
/** An array of text. */
export const textArray = <T extends string[] | null = string[]>(source: Source): Column<NoInfer<T>> =>
  unconverted<T>(source);
/** `jsonb` of a shape that this service wrote, or an array of numbers. */
export const json = <T>(source: Source) => unconverted<T>(source);

/** `bytea`. */
export const bytes = (source: Source) => unconverted<Buffer>(source);

/** A `bigint` or `numeric` as decimal text, with all its digits. */
export const decimal = <T extends string | null = string>(source: Source): Column<NoInfer<T>> =>
  unconverted<T>(sql`(${toSql(source)})::text`);

/** A `bigint` that stays below 2^53, such as an id or a count. */
export const safeInteger = (source: Source): Column<number> => ({ source: toSql(source), decode: Number });

/** A nullable bigNumber. */
export const safeIntegerOrNull = (source: Source): Column<number | null> => ({
  source: toSql(source),
  decode: (raw) => (raw === null ? null : Number(raw)),
});

/** An instant. It is transferred as epoch milliseconds, because the driver returns timestamps of raw statements as text. */
export const timestamp = (source: Source): Column<Date> => ({
  source: epochMs(source),
  decode: (raw) => new Date(Number(raw)),
});

/** A nullable instant. */
export const timestampOrNull = (source: Source): Column<Date | null> => ({
  source: epochMs(source),
  decode: (raw) => (raw === null ? null : new Date(Number(raw))),
});

/** An instant as epoch milliseconds. */
export const timestampMs = (source: Source): Column<number> => ({ source: epochMs(source), decode: Number });
export const timestampMsOrNull = (source: Source): Column<number | null> => ({
  source: epochMs(source),
  decode: (raw) => (raw === null ? null : Number(raw)),
});

/** SQL of a timestamp as epoch milliseconds. */
export function epochMs(source: Source): SQL {
  return sql`extract(epoch from ${toSql(source)}) * 1000`;
}

/** SQL of an instant in whole microseconds, which is faster than the `numeric` of `epochMs`: for thousands of rows. */
export const epochMicros = (source: string): SQL =>
  sql.raw(`(date_part('epoch', ${source}) * 1000000)::bigint`);
export const MICROS_PER_MS = 1_000;
