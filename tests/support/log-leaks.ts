import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Anything with the shape of an address or of a key, and the secrets that the suite configures. */
const LEAKS: readonly { what: string; pattern: RegExp }[] = [
  { what: "an e-mail address", pattern: /[^\s"@<>]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}/i },
  { what: "a key", pattern: /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i },
  { what: "a configured secret", pattern: /test-(admin-secret|nextauth-secret|encryption-key)-\d+/ },
  { what: "a database password", pattern: /postgres(ql)?:\/\/[^\s"]+:[^\s"]+@/ },
];

/**
 * Lines that the whole suite logged and that hold what must never be logged; ids that others choose, of requests and of
 * invoices, are left out. Matching shapes instead of a list also finds leaks that no test looked for.
 */
export function logLeaks(directory: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync(directory).filter((file) => /^log-.*\.ndjson$/.test(file))) {
    for (const line of readFileSync(join(directory, name), "utf8").split("\n")) {
      const told = line.replaceAll(/"(requestId|invoiceId)":"[^"]*"/g, "");
      for (const { what, pattern } of LEAKS)
        if (pattern.test(told)) found.push(`${what} in ${line.slice(0, 300)}`);
    }
  }
  return found;
}
