/** The migrated template database that every test file clones. */
export const TEMPLATE_DATABASE = "template_migrated";

/** The URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
