import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../../docs/operations/README.md", import.meta.url));

/** The commands in the shell blocks of docs/operations/README.md, with continued lines joined. */
export function runbookCommands(text = readFileSync(file, "utf8")): string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? "");
  return blocks.flatMap((block) =>
    block
      .replaceAll(/\\\n\s*/g, "")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#")),
  );
}

/** The variables, with their example values, that the runbook writes into the environment file. */
export function runbookEnvironment(text = readFileSync(file, "utf8")): Record<string, string> {
  const block = /^```sh\n(DATABASE_URL=.*?)^```$/ms.exec(text)?.[1] ?? "";
  return Object.fromEntries(
    block
      .split("\n")
      .filter((line) => /^[A-Z_]+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

/** Returns the command. Throws unless it is a line of the runbook, so that the scenario and the runbook agree. */
export function requireRunbookCommand(command: string): string {
  if (!runbookCommands().includes(command)) throw new Error(`not in docs/operations/README.md: ${command}`);
  return command;
}
