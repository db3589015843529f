import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Anything with the shape of an address or a key, and the suite's configured secrets. */
const LEAKS: readonly { what: string; pattern: RegExp }[] = [
  { what: "an e-mail address", pattern: /[^\s"@<>]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}/i },
  { what: "a key", pattern: /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i },
  { what: "a configured secret", pattern: /test-(admin-secret|nextauth-secret|encryption-key)-\d+/ },
  { what: "a database password", pattern: /postgres(ql)?:\/\/[^\s"]+:[^\s"]+@/ },
];

/**
 * Log lines of the whole suite that contain forbidden data, ignoring request and invoice ids chosen by clients.
 * Matching shapes instead of known values also finds leaks that no test looks for.
 */
export function findLogLeaks(directory: string): string[] {
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
