import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMMANDS } from "@/lib/server/start.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Node's arguments that start a command of the service: from its built file if the build includes it, else from source. */
export const commandArguments = (name: string): string[] =>
  COMMANDS.includes(name) ? [join(root, ".build", `${name}.mjs`)] : sourceCommandArguments(name);

export const sourceCommandArguments = (name: string): string[] => [
  "--import",
  import.meta.resolve("tsx"),
  join(root, `lib/commands/${name}.ts`),
];
