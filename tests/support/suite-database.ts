/** The migrated template database that the test files clone. */
export const TEMPLATE_DATABASE = "template_migrated";

/** The URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
