/** Lists whose rows have links, by which a row is found again. */
const LISTS = "tbody, ul, ol";

/**
 * Gives each list the rows of the new page in their order, so that a row that stays keeps its elements: the focus and the
 * selection in it, and what is open. Their content is replaced later.
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

/** The rows with a link, named by its address and their number among rows with the same one. */
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
