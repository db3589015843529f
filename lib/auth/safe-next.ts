/** Where to go after signing in: an address inside the portal, and nothing else whatever was asked for. */
export function safeNext(next: string | undefined, fallback: string): string {
  return next && /^\/portal(?:[/?][\w\-./?=&%]*)?$/.test(next) && !next.includes("//") ? next : fallback;
}
