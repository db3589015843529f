/** Rows of a table after an id, in order of id: each page of an export is one range of the primary key. */
export interface ExportPage {
  afterId: number;
  limit: number;
}

const ROWS_PER_PAGE = 200;

/** Returns the next rows on each call, and none at the end. */
export type NextRows<Row> = () => Promise<readonly Row[]>;

/** A whole table, page by page. */
export function everyPage<Row>(
  list: (page: ExportPage) => Promise<Row[]>,
  idOf: (row: Row) => number,
): NextRows<Row> {
  return pagesAfter<Row, number>((afterId = -1) => list({ afterId, limit: ROWS_PER_PAGE }), idOf);
}

/**
 * Consecutive pages by the sort key of their last row. `list` returns the first `limit` rows after a key, or from the
 * start. Only the key is kept between pages: rows that wait for a slow reader would survive minor garbage collections
 * and pile up.
 */
export function pagesAfter<Row, Place>(
  list: (after: Place | undefined, limit: number) => Promise<readonly Row[]>,
  placeOf: (row: Row) => Place,
): NextRows<Row> {
  let after: Place | undefined;
  let isOver = false;
  return async () => {
    if (isOver) return [];
    const rows = await list(after, ROWS_PER_PAGE);
    const last = rows.at(-1);
    isOver = last === undefined || rows.length < ROWS_PER_PAGE;
    if (last !== undefined) after = placeOf(last);
    return rows;
  };
}
