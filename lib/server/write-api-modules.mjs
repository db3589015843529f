// Plain JavaScript without dependencies, because it runs on a fresh clone.
import { readdirSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Modules that `writeApiModules` generates from the folders of `app`. They are not in git. */
export const API_MODULES = ["app/mounts.generated.ts", "app/operations.generated.ts"];

/**
 * Writes the modules that list the API: every folder of `app` with an `operation.ts`, its path and the `route.ts` next to
 * it. There are two modules, because pages and the client's generator need operations without handlers.
 */
export function writeApiModules(root) {
  const app = join(root, "app");
  const folders = readdirSync(app, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name === "operation.ts")
    .map(({ parentPath }) => relative(app, parentPath).split(sep).join("/"))
    .sort();
  const list = (file) => ({
    imports: folders.map((folder, i) => `import * as m${i} from "@/app/${folder}/${file}";`).join("\n"),
    object: `{\n${folders.map((folder, i) => `  "${pathOf(folder)}": m${i},`).join("\n")}\n}`,
  });
  const handlers = list("route");
  const declarations = list("operation");
  const [mounts, operations] = [
    `${handlers.imports}

/** The API: each of its paths, and the module that answers it. */
export const MOUNTS = ${handlers.object} as const;
`,
    `${declarations.imports}
import { foreignEndpointsOf, operationsOf } from "@/lib/api/openapi/operation";

const DECLARED = ${declarations.object};

/** Every operation of the API. */
export const OPERATIONS = operationsOf(DECLARED);

/** Operations that follow the protocol of another product. */
export const FOREIGN_OPERATIONS = foreignEndpointsOf(DECLARED);
`,
  ];
  for (const [i, text] of [mounts, operations].entries())
    writeFileSync(join(root, API_MODULES[i]), `// Written by npm run generate.\n${text}`);
}

/** The path of a folder: groups in parentheses are left out, parameters are in braces. */
function pathOf(folder) {
  const parts = folder.split("/").filter((part) => !part.startsWith("("));
  return `/${parts.join("/").replaceAll("[", "{").replaceAll("]", "}")}`;
}
