import { z } from "zod";

/** The query of a page's address, as Next passes it. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/**
 * An optional filter of a page: an empty or unreadable value counts as not set, so that an edited address still shows a
 * page.
 */
export const optionalFilter = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional().catch(undefined));

/**
 * A confidence as a share (0..1), sent as percent (`60`, `60 %`), or as a share if it is at most 1 without a percent
 * sign (`0.6`).
 */
export const confidenceFilter = optionalFilter(
  z
    .string()
    .trim()
    .regex(/^[0-9]{1,3}([.,][0-9]{1,6})?\s*%?$/)
    .transform((text) => {
      const value = Number(text.replace("%", "").replace(",", "."));
      return value > 1 || text.endsWith("%") ? value / 100 : value;
    })
    .pipe(z.number().min(0).max(1)),
);

/** A filter that is one of the values, ignoring white space around it. */
export const choiceFilter = <const V extends string>(values: readonly V[]) =>
  optionalFilter(z.string().trim().pipe(z.enum(values)));

/** A search text, cut to its maximum length, without NUL, which PostgreSQL cannot store. */
export const textFilter = (maxLength = 200) =>
  optionalFilter(
    z
      .string()
      .transform((text) => text.replaceAll("\0", "").trim().slice(0, maxLength))
      .pipe(z.string().min(1)),
  );

/** A filter that is a whole number from 1 to `max`. */
export const wholeNumberFilter = (max: number) =>
  optionalFilter(
    z
      .string()
      .trim()
      .regex(/^[0-9]{1,9}$/)
      .transform(Number)
      .pipe(z.number().min(1).max(max)),
  );

/** A filter that is an ISO 8601 instant in UTC. It stays text, so that microseconds are kept. */
export const instantTextFilter = optionalFilter(
  z
    .string()
    .trim()
    .max(30)
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/)
    .refine((text) => !Number.isNaN(Date.parse(text))),
);

/** The number of a page of a list, counted from 1, with its limit and offset in rows. */
export interface ListPage {
  number: number;
  limit: number;
  offset: number;
}

/** The requested page of a list, the first by default. */
export function toListPage(number: number | undefined, limit: number): ListPage {
  return { number: number ?? 1, limit, offset: ((number ?? 1) - 1) * limit };
}

/** The number of a page of a list, counted from 1; an unreadable one counts as not set. */
export const pageNumberFilter = z
  .string()
  .regex(/^[1-9][0-9]{0,4}$/)
  .transform(Number)
  .optional()
  .catch(undefined);

/** A filter that is the code of a symbol or a timeframe. */
export const symbolOrTimeframeFilter = optionalFilter(z.string().regex(/^[A-Za-z0-9._#+\- ]{1,32}$/));

/** The values of a filter as query parameters, without those that are undefined, false or empty. */
export function toQuery(
  filter: Record<string, string | number | boolean | undefined>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) =>
      value === undefined || value === false || value === "" ? [] : [[name, String(value)]],
    ),
  );
}
