/** What public pages read of the query of their address, by template. */
const READ: Readonly<Record<string, readonly string[]>> = {
  "/docs/search": ["q"],
  "/record": ["symbol", "tf", "model", "period", "sort", "order", "table"],
  "/record/[symbol]/[tf]": ["model", "period", "after", "table"],
};

/** Longer than any value that such a page understands. */
const LONGEST_VALUE = 120;

/**
 * The query with which a public page is made: what it reads of the one asked for, always in the same order. A page is
 * kept for all visitors who ask for the same, so nothing else of the address may reach it (decision 193).
 */
export function publicQuery(template: string, address: string): string {
  const names = READ[template];
  const at = address.indexOf("?");
  if (names === undefined || at < 0) return "";
  const asked = new URLSearchParams(address.slice(at));
  const read = names.flatMap((name): [string, string][] => {
    const value = asked.get(name);
    return value && value.length <= LONGEST_VALUE ? [[name, value]] : [];
  });
  return read.length > 0 ? `?${new URLSearchParams(read)}` : "";
}
