import { existsSync } from "node:fs";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { parseIsoInstant } from "@/lib/time";

/** The options and arguments of a command. Unknown options end the process with its usage. */
export function readCommandLine<T extends ParseArgsConfig>(usage: string, config: T) {
  try {
    return parseArgs(config);
  } catch {
    return exitWithUsage(usage);
  }
}

/** A date (midnight UTC), or an ISO 8601 date and time; null for anything else. */
export function readDate(text: string): Date | null {
  return parseIsoInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
}

/** Reads `.env` of the folder that a command is started in. What is set in the environment wins, as at the server's start. */
export function readEnvFile(): void {
  if (existsSync(".env")) process.loadEnvFile(".env");
}

/** Ends the process with code 2: the command line is wrong and nothing was done. */
export function exitWithUsage(usage: string): never {
  process.stderr.write(`usage: ${usage}\n`);
  process.exit(2);
}

/** Says why a command failed, without the places in its source. The process ends with code 1 when it ends. */
export function printFailure(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : "failed"}\n`);
  process.exitCode = 1;
}
