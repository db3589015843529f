/** Rows of a table after an id, in order of id: however long an export runs, each page is one stretch of the key. */
export interface ExportPage {
  afterId: number;
  limit: number;
}

const ROWS_PER_PAGE = 200;

/** Gives the rows that come next each time it is called, and none when there are no more. */
export type NextRows<Row> = () => Promise<readonly Row[]>;

/** A whole table, page by page. */
export function everyPage<Row>(
  list: (page: ExportPage) => Promise<Row[]>,
  idOf: (row: Row) => number,
): NextRows<Row> {
  return pagesAfter<Row, number>((afterId = -1) => list({ afterId, limit: ROWS_PER_PAGE }), idOf);
}

/**
 * The pages that follow each other by the place of their last row. `list` gives the first `limit` rows after a place, or
 * from the beginning. Only the place is kept: an export that waits for its reader holds no rows, which would outlive the
 * collector's short rounds and pile up until a long one.
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
