/** The migrated database from which every test file clones its own. */
export const TEMPLATE = "template_migrated";

/** The same server, another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
