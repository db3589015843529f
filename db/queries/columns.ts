import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { DatabaseHandle } from "@/db/client";

/**
 * Column definitions for hand-written statements: `columns({ openedAt: timestamp("e.opened_at") })` provides the select
 * list, the decoder of its rows and, as `Row<typeof ...>`, their type.
 */

/** SQL of a column or expression. A string must be written in the code, never come from a request. */
type Source = string | SQL;

interface Column<T> {
  source: SQL;
  decode: (raw: unknown) => T;
  /** Set if the driver's value needs no conversion. */
  isUnconverted?: true;
}

type Shape = Record<string, Column<unknown>>;
/** The decoded row type of a record of columns. */
export type DecodedRow<S extends Shape> = { [K in keyof S]: S[K] extends Column<infer T> ? T : never };

export interface Columns<R> {
  /** The select list, with each column under its name in the definition. */
  list: SQL;
  /** Decodes one row of a statement that selects the lists of several definitions. */
  decode(raw: Record<string, unknown>): R;
  /** The rows of a statement that selects `list`. */
  all(handle: DatabaseHandle, statement: SQL): Promise<R[]>;
  /** The first row, or null. */
  first(handle: DatabaseHandle, statement: SQL): Promise<R | null>;
  /** The first row of a statement that always has one, such as an aggregate. */
  one(handle: DatabaseHandle, statement: SQL): Promise<R>;
}

/** The row type of a column definition: `Row<typeof COLUMNS>`. */
export type Row<C> = C extends Columns<infer R> ? R : never;

/** Defines the columns of a statement's result. */
export function columns<S extends Shape>(shape: S): Columns<DecodedRow<S>> {
  const entries = Object.entries(shape);
  const list = writtenOnce(
    sql.join(
      entries.map(([name, { source }]) => sql`${source} as ${sql.identifier(name)}`),
      sql`, `,
    ),
  );
  // Rows with only these columns are decoded in place, because track records have a hundred thousand rows.
  const written = entries.filter(([, { isUnconverted }]) => !isUnconverted);
  const decodeInPlace = (raw: Record<string, unknown>) => {
    for (const [name, column] of written) raw[name] = column.decode(raw[name]);
    // Every value has been decoded, so the row now has the types of its columns.
    return raw as DecodedRow<S>;
  };
  const decode = (raw: Record<string, unknown>) =>
    decodeInPlace(Object.fromEntries(entries.map(([name]) => [name, raw[name]])));
  const all = async (handle: DatabaseHandle, statement: SQL) =>
    (await handle.execute(statement)).map(decodeInPlace);
  const first = async (handle: DatabaseHandle, statement: SQL) => (await all(handle, statement))[0] ?? null;
  const one = async (handle: DatabaseHandle, statement: SQL) => {
    const row = await first(handle, statement);
    if (row === null) throw new Error("a statement that always has a row returned none");
    return row;
  };
  return { list, decode, all, first, one };
}

const dialect = new PgDialect();

/** The select list as one finished string, if it has no parameters: building it for each statement is expensive. */
function writtenOnce(list: SQL): SQL {
  const { sql: text, params } = dialect.sqlToQuery(list);
  return params.length === 0 ? sql.raw(text) : list;
}

const toSql = (source: Source): SQL => (typeof source === "string" ? sql.raw(source) : source);

/**
 * A column whose driver value needs no conversion. Exported callers with a default type return `NoInfer`, so that a
 * column's type comes from its declaration and not from where it is used.
 */
function unconverted<T>(source: Source): Column<T> {
  // The functions below declare the types that the driver produces.
  return { source: toSql(source), decode: (raw) => raw as T, isUnconverted: true };
}

/** A `text` column; `T` may be a union of its possible words. */
export const text = <T extends string | null = string>(source: Source): Column<NoInfer<T>> =>
  unconverted<T>(source);
/** An `int`, `smallint` or `double precision` column. */
export const number = <T extends number | null = number>(source: Source): Column<NoInfer<T>> =>
  unconverted<T>(source);
/** A `boolean` column. */
export const boolean = <T extends boolean | null = boolean>(source: Source): Column<NoInfer<T>> =>
  unconverted(source);
/** A `text[]` column. */
export const textArray = <T extends string[] | null = string[]>(source: Source): Column<NoInfer<T>> =>
  unconverted<T>(source);
/** A column whose driver value has the type `T`, such as `jsonb` that this service wrote. The type is not checked. */
export const json = <T>(source: Source) => unconverted<T>(source);

/** A `bytea` column. */
export const bytes = (source: Source) => unconverted<Buffer>(source);

/** A `bigint` or `numeric` column as decimal text, with all its digits. */
export const decimal = <T extends string | null = string>(source: Source): Column<NoInfer<T>> =>
  unconverted<T>(sql`(${toSql(source)})::text`);

/** A `bigint` column that stays below 2^53, such as an id or a count, as a number. */
export const safeInteger = (source: Source): Column<number> => ({ source: toSql(source), decode: Number });

/** A `bigint` column that stays below 2^53, as a number or null. */
export const safeIntegerOrNull = (source: Source): Column<number | null> => ({
  source: toSql(source),
  decode: (raw) => (raw === null ? null : Number(raw)),
});

/** A `timestamptz` column as a Date. Sent as epoch milliseconds: the driver returns timestamps of raw SQL as text. */
export const timestamp = (source: Source): Column<Date> => ({
  source: epochMs(source),
  decode: (raw) => new Date(Number(raw)),
});

/** A `timestamptz` column as a Date or null. */
export const timestampOrNull = (source: Source): Column<Date | null> => ({
  source: epochMs(source),
  decode: (raw) => (raw === null ? null : new Date(Number(raw))),
});

/** A `timestamptz` column as epoch milliseconds. */
export const timestampMs = (source: Source): Column<number> => ({ source: epochMs(source), decode: Number });
/** A `timestamptz` column as epoch milliseconds or null. */
export const timestampMsOrNull = (source: Source): Column<number | null> => ({
  source: epochMs(source),
  decode: (raw) => (raw === null ? null : Number(raw)),
});

/** SQL that converts a timestamp to epoch milliseconds. */
export function epochMs(source: Source): SQL {
  return sql`extract(epoch from ${toSql(source)}) * 1000`;
}

/** SQL that converts a timestamp to whole epoch microseconds. Faster than `epochMs`, for statements with many rows. */
export const epochMicros = (source: string): SQL =>
  sql.raw(`(date_part('epoch', ${source}) * 1000000)::bigint`);
export const MICROS_PER_MS = 1_000;
