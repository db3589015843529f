/** Elements whose children count as rows. A row with a link is recognised on the new page by that link. */
const LISTS = "tbody, ul, ol";

/**
 * Adds, removes and moves the rows of each list so that they match the new page. A row that is on both keeps its
 * elements, with the focus, the selection and the open parts in it; its content is replaced later.
 */
export function alignRows(page: Element, next: Element): void {
  const rows = new Map([...namedRows(page)].map(([row, name]) => [name, row]));
  const named = namedRows(next);
  const stay = new Set([...named.values()].map((name) => rows.get(name)));
  for (const row of rows.values()) if (!stay.has(row)) row.remove();
  for (const list of next.querySelectorAll(LISTS)) {
    const ofList = [...list.children].map((row) => ({ row, known: rows.get(named.get(row) ?? "") }));
    const parent = ofList.find(({ known }) => known)?.known?.parentElement;
    if (!parent) continue;
    const placed = new Set<Element>();
    for (const { known } of ofList) if (known?.parentElement === parent) placed.add(known);
    for (const row of [...parent.children]) if (!placed.has(row)) row.remove();
    let after: Element | null = null;
    for (const { row, known } of ofList.reverse()) {
      const place: Element = known && placed.has(known) ? known : document.importNode(row, true);
      if (place.parentElement !== parent || place.nextElementSibling !== after)
        parent.insertBefore(place, after);
      after = place;
    }
  }
}

/**
 * The rows that have a link, each with a name: its tag, the link's address, and a number that distinguishes rows with
 * the same address.
 */
function namedRows(page: Element): Map<Element, string> {
  const counts = new Map<string, number>();
  const names = new Map<Element, string>();
  for (const list of page.querySelectorAll(LISTS))
    for (const row of list.children) {
      const href = row.querySelector("a")?.getAttribute("href");
      if (!href) continue;
      const base = `${row.tagName} ${href}`;
      const count = (counts.get(base) ?? 0) + 1;
      counts.set(base, count);
      names.set(row, `${base} ${count}`);
    }
  return names;
}
