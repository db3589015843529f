import { z } from "zod";

/** The query of a page's address, as Next passes it on. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** An optional filter: what cannot be read counts as not set, so that an edited address still shows a page. */
export const optionalFilter = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional().catch(undefined));

/** A number written with digits and at most one point. */
export const decimalFilter = (min: number, max: number) =>
  optionalFilter(
    z
      .string()
      .regex(/^[0-9]{1,6}(\.[0-9]{1,6})?$/)
      .transform(Number)
      .pipe(z.number().min(min).max(max)),
  );

/** A page of a list, counted from 1. */
export const pageFilter = z
  .string()
  .regex(/^[1-9][0-9]{0,4}$/)
  .transform(Number)
  .optional()
  .catch(undefined);

/** A name of a symbol or a timeframe. */
export const codeFilter = optionalFilter(z.string().regex(/^[A-Za-z0-9._#+\- ]{1,32}$/));

/** The values of the filter that are set, as a query for addresses. */
export function toQuery(
  filter: Record<string, string | number | boolean | undefined>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) =>
      value === undefined || value === false || value === "" ? [] : [[name, String(value)]],
    ),
  );
}
