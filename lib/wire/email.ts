/** The identity of an address: trimmed, NFKC and lower-cased. No folding of dots or plus parts. */
export function normalizeEmail(email: string): string {
  return email.normalize("NFKC").trim().toLowerCase();
}
