/** Seconds of a Retry-After header, given as a number or a date; null: none or invalid. */
export function parseRetryAfterSeconds(header: string | undefined, now = new Date()): number | null {
  if (header === undefined) return null;
  if (/^[0-9]{1,7}$/.test(header.trim())) return Number(header);
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - now.getTime()) / 1000));
}
