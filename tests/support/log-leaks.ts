import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What the log must not contain: anything like an e-mail address, a key or a database password, and three secrets of
 * `testEnvironment`.
 */
const LEAKS: readonly { what: string; pattern: RegExp }[] = [
  { what: "an e-mail address", pattern: /[^\s"@<>]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}/i },
  { what: "a key", pattern: /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i },
  { what: "a configured secret", pattern: /test-(admin-secret|nextauth-secret|encryption-key)-\d+/ },
  { what: "a database password", pattern: /postgres(ql)?:\/\/[^\s"]+:[^\s"]+@/ },
];

/**
 * Finds forbidden data in the log files in this directory, one for each process of the suite that logs to a file there.
 * Request and invoice ids are ignored, because clients choose them. Returns one line per leak.
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
