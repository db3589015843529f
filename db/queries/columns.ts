import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Handle } from "@/db/client";

/**
 * Columns of statements written by hand, each said once: `columns({ openedAt: at("e.opened_at") })` is the select list,
 * the decoder of its rows and, as `Row<typeof ...>`, their type. Such rows come without column types of their own.
 */

/** SQL of the source, never of a request, unless it is a `sql` template with parameters. */
type Source = string | SQL;

interface Column<T> {
  source: SQL;
  decode: (raw: unknown) => T;
  /** The driver's value is the one that is wanted. */
  isAsBrought?: true;
}

type Shape = Record<string, Column<unknown>>;
/** The row that a plain set of columns makes. */
export type Decoded<S extends Shape> = { [K in keyof S]: S[K] extends Column<infer T> ? T : never };

export interface Columns<R> {
  /** The select list, every column under its name here. */
  list: SQL;
  /** One row of such a statement, for one that is of two sets of columns. */
  decode(raw: Record<string, unknown>): R;
  /** The rows of a statement that selects `list`. */
  all(handle: Handle, statement: SQL): Promise<R[]>;
  /** The first of them, or null. */
  first(handle: Handle, statement: SQL): Promise<R | null>;
  /** The first of a statement that always has one, such as an aggregate. */
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
  // Rows of a statement of one set of columns are decoded where they are: track records have a hundred thousand.
  const written = entries.filter(([, { isAsBrought }]) => !isAsBrought);
  const decodeInPlace = (raw: Record<string, unknown>) => {
    for (const [name, column] of written) raw[name] = column.decode(raw[name]);
    // Every name of the shape is as its own kind says.
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

/** SQL as one text where it has no parameters: put together for each statement, a select list is most of it. */
function writtenOnce(list: SQL): SQL {
  const { sql: text, params } = dialect.sqlToQuery(list);
  return params.length === 0 ? sql.raw(text) : list;
}

const toSql = (source: Source): SQL => (typeof source === "string" ? sql.raw(source) : source);

/**
 * A value that the driver brings as it is wanted. The kinds name its type by default or by what the declaration says,
 * never by where they stand: hence `NoInfer`.
 */
function asBrought<T>(source: Source): Column<T> {
  // The kinds below name the type that the driver makes of such a column.
  return { source: toSql(source), decode: (raw) => raw as T, isAsBrought: true };
}

/** Text, or one of some words. */
export const text = <T extends string | null = string>(source: Source): Column<NoInfer<T>> =>
  asBrought<T>(source);
/** `int`, `smallint` or `double precision`. */
export const number = <T extends number | null = number>(source: Source): Column<NoInfer<T>> =>
  asBrought<T>(source);
export const flag = (source: Source) => asBrought<boolean>(source);
/** An array of text. */
export const texts = <T extends string[] | null = string[]>(source: Source): Column<NoInfer<T>> =>
  asBrought<T>(source);
/** `jsonb` of a shape that this service wrote, or an array of numbers. */
export const json = <T>(source: Source) => asBrought<T>(source);

/** `bytea`. */
export const bytes = (source: Source) => asBrought<Buffer>(source);

/** A `bigint` or `numeric` as decimal text, with all its digits. */
export const decimal = <T extends string | null = string>(source: Source): Column<NoInfer<T>> =>
  asBrought<T>(sql`(${toSql(source)})::text`);

/** A `bigint` that stays below 2^53, such as an identity or a count. */
export const bigNumber = (source: Source): Column<number> => ({ source: toSql(source), decode: Number });

/** The same where there may be none. */
export const bigNumberOrNull = (source: Source): Column<number | null> => ({
  source: toSql(source),
  decode: (raw) => (raw === null ? null : Number(raw)),
});

/** An instant; it travels as epoch milliseconds, since the driver's own text of it has no type here. */
export const at = (source: Source): Column<Date> => ({
  source: epochMs(source),
  decode: (raw) => new Date(Number(raw)),
});

/** The same where there may be none. */
export const atOrNull = (source: Source): Column<Date | null> => ({
  source: epochMs(source),
  decode: (raw) => (raw === null ? null : new Date(Number(raw))),
});

/** An instant as the number of its milliseconds. */
export const atMs = (source: Source): Column<number> => ({ source: epochMs(source), decode: Number });
export const atMsOrNull = (source: Source): Column<number | null> => ({
  source: epochMs(source),
  decode: (raw) => (raw === null ? null : Number(raw)),
});

/** A timestamp as epoch milliseconds. */
export function epochMs(source: Source): SQL {
  return sql`extract(epoch from ${toSql(source)}) * 1000`;
}

/** An instant in whole microseconds, which is written in less time than the `numeric` of `epochMs`: for rows by the thousand. */
export const micros = (source: string): SQL => sql.raw(`(date_part('epoch', ${source}) * 1000000)::bigint`);
export const US_PER_MS = 1_000;
