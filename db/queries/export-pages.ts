/** Which page of an export to read: the first `limit` rows with an id above `afterId`, in order of id. */
export interface ExportPage {
  afterId: number;
  limit: number;
}

const ROWS_PER_PAGE = 200;

/** Returns the next page of rows on each call, and an empty one at the end. */
export type ReadNextRows<Row> = () => Promise<readonly Row[]>;

/** Reads all rows of a list in order of id, page by page. `list` returns one page, `idOf` the id of a row. */
export function pagesById<Row>(
  list: (page: ExportPage) => Promise<Row[]>,
  idOf: (row: Row) => number,
): ReadNextRows<Row> {
  return pagesAfter<Row, number>((afterId = -1) => list({ afterId, limit: ROWS_PER_PAGE }), idOf);
}

/**
 * Reads a list page by page. `list` returns the first `limit` rows after a sort key (undefined: from the start), `placeOf`
 * the sort key of a row. Only the last row's key is kept between pages: rows that are kept for a slow client would survive
 * minor garbage collections and fill the memory.
 */
export function pagesAfter<Row, Place>(
  list: (after: Place | undefined, limit: number) => Promise<readonly Row[]>,
  placeOf: (row: Row) => Place,
): ReadNextRows<Row> {
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
