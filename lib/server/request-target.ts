/**
 * Path and query of a request target in origin form (`/path`) or absolute form (`http://host/path`), without dot
 * segments; null for any other target. All later code sees this one form.
 */
export function parseRequestTarget(target: string): string | null {
  if (!target.startsWith("/")) {
    if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return null;
    const { pathname, search } = new URL(target);
    return pathname + search;
  }
  if (!/^[^?]*\/(?:\.|%2e)/i.test(target)) return target;
  const at = target.indexOf("?");
  const path = at < 0 ? target : target.slice(0, at);
  // With a host in front, so that a path of two slashes is not taken for a host.
  const address = `http://localhost${path}`;
  return URL.canParse(address) ? new URL(address).pathname + target.slice(path.length) : null;
}

/** The percent-decoded path; null: not valid UTF-8. */
export function decodedPath(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
