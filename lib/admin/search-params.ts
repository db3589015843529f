import type { SearchParams } from "@/lib/wire/query-filter";

/** One page of a list, counted from 1, and the stretch of rows that it is. */
export interface ListPage {
  number: number;
  limit: number;
  offset: number;
}

const ROWS_PER_PAGE = 50;

/** The parameters of a page's address, tolerantly: a person edits these by hand, so that what is unknown counts as absent. */
export class PageQuery {
  constructor(private readonly given: Awaited<SearchParams>) {}

  text(name: string, maxLength = 200): string | undefined {
    const value = this.given[name];
    const text = (typeof value === "string" ? value : "").replaceAll("\0", "").trim().slice(0, maxLength);
    return text === "" ? undefined : text;
  }

  oneOf<const T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.text(name);
    return values.find((value) => value === text);
  }

  /** A whole number from 1 to `max`. */
  count(name: string, max: number): number | undefined {
    const text = this.text(name);
    const n = Number(text);
    return text !== undefined && /^[0-9]{1,9}$/.test(text) && n >= 1 && n <= max ? n : undefined;
  }

  /** The page of a list that is asked for, the first by default. */
  page(): ListPage {
    const number = this.count("page", 1_000_000) ?? 1;
    return { number, limit: ROWS_PER_PAGE, offset: (number - 1) * ROWS_PER_PAGE };
  }

  instant(name: string): Date | undefined {
    const text = this.instantText(name);
    return text === undefined ? undefined : new Date(text);
  }

  /** An ISO 8601 instant in UTC as it stands there, microseconds included. */
  instantText(name: string): string | undefined {
    const text = this.text(name, 30);
    if (text === undefined || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/.test(text))
      return undefined;
    return Number.isNaN(new Date(text).getTime()) ? undefined : text;
  }
}
