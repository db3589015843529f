const SHAPE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes white space and quotes, which are often pasted along with a key, and converts to lower case. */
export function cleanPastedKey(sent: string): string {
  return sent.replace(/[\s"']/g, "").toLowerCase();
}

/** Whether a cleaned text has the form of a key: a UUID. */
export function isKeyShaped(tidy: string): boolean {
  return SHAPE.test(tidy);
}

/** First four and last four characters around four asterisks. */
export function keyHint(key: string): string {
  return `${key.slice(0, 4)}****${key.slice(-4)}`;
}
