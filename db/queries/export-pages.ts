/** Rows of a table after an id, in order of id: however long an export runs, each page is one stretch of the key. */
export interface ExportPage {
  afterId: number;
  limit: number;
}

const ROWS_PER_PAGE = 200;

/** A whole table, page by page. Nothing is held but one page. */
export async function* everyPage<Row>(
  list: (page: ExportPage) => Promise<Row[]>,
  idOf: (row: Row) => number,
): AsyncGenerator<Row[], void> {
  let afterId = -1;
  for (;;) {
    const rows = await list({ afterId, limit: ROWS_PER_PAGE });
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_PAGE) return;
    afterId = idOf(last);
  }
}
