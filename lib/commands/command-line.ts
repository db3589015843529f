import { existsSync } from "node:fs";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { parseIsoInstant } from "@/lib/time";

/** Options and arguments of a command. If they do not match `config`, the process ends with the usage text. */
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

/** Reads `.env` of the current folder. Variables of the environment take precedence, as at the server's start. */
export function loadEnvFile(): void {
  if (existsSync(".env")) process.loadEnvFile(".env");
}

/** Ends the process with code 2: the command line is wrong and nothing was done. */
export function exitWithUsage(usage: string): never {
  process.stderr.write(`usage: ${usage}\n`);
  process.exit(2);
}

/** Prints why a command failed, without source locations, and sets exit code 1. */
export function printFailure(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : "failed"}\n`);
  process.exitCode = 1;
}
