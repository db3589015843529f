import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The project's source files below a folder, as paths from the root; none for a missing folder. */
function sources(folder: string, which = /\.(ts|tsx)$/): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && which.test(entry.name) && !entry.name.endsWith(".d.ts"))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((path) => !path.includes("node_modules"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

interface Import {
  from: string;
  /** A path from the root for the project's files, otherwise the package name. */
  to: string;
  typeOnly: boolean;
}

const IMPORT =
  /^(?:import|export)\s+(?<type>type\s)?(?:[^"';]*?\sfrom\s+)?"(?<what>[^"]+)"|\bimport\("(?<lazy>[^"]+)"\)/gm;

function importsOf(path: string): Import[] {
  const text = readFileSync(join(root, path), "utf8");
  return [...text.matchAll(IMPORT)].map(({ groups }) => {
    const what = groups?.what ?? groups?.lazy ?? "";
    const to = what.startsWith("@/")
      ? what.slice(2)
      : what.startsWith(".")
        ? relative(root, resolve(root, dirname(path), what))
        : what;
    return { from: path, to, typeOnly: groups?.type !== undefined };
  });
}

const all = ["app", "lib", "db", "emails"].flatMap((folder) => sources(folder));
const imports = all.flatMap(importsOf);
const say = (found: Import[]) => found.map(({ from, to }) => `${from} -> ${to}`);

// Biome checks layers and import cycles between files (biome.json). Biome does not separate types from values and does
// not count, so this test does.
describe("imports", () => {
  it("the scan of this test finds known imports", () => {
    expect(imports.length).toBeGreaterThan(200);
    expect(imports).toContainEqual({ from: "lib/runtime/env.ts", to: "zod", typeOnly: false });
    expect(say(imports)).toContain("app/api/scan/route.ts -> lib/signals/scan");
    expect(say(imports)).toContain("lib/engine/outcome.ts -> lib/engine/classes");
  });

  it("lib imports Next and React only in lib/auth, the page process and mails", () => {
    const exempt = ["lib/auth/", "lib/server/pages/", "lib/outbound/mail/"];
    const wrong = imports.filter(
      ({ from, to }) =>
        from.startsWith("lib/") &&
        /^(next|react|react-dom)(\/|$)/.test(to) &&
        !exempt.some((prefix) => from.startsWith(prefix)),
    );
    expect(say(wrong)).toEqual([]);
  });

  it("lib imports no SQL: it uses db/queries and the types of the schema", () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        from.startsWith("lib/") && !typeOnly && /^(drizzle-orm|db\/schema)(\/|$)/.test(to),
    );
    expect(say(wrong)).toEqual([]);
  });
});

/** An export that no running code uses is usually a mistake, such as a job that is missing from the list of jobs. */
describe("exports of lib and db", () => {
  // Exports that only tests and npm scripts use.
  const ONLY_TESTED = [
    "RECIPE_NAMES",
    "VARIABLE_NAMES",
    "checksumDatabase",
    "featureImportance",
    "forgetProcessValue",
    "groupExecutions",
    "normalQuantile",
    "writeSchema",
  ];

  it("every export of lib and db occurs elsewhere in running code, except for a named few", () => {
    const running = [
      "instrumentation.ts",
      ...all,
      ...["lib", "db"].flatMap((folder) => sources(folder, /\.mjs$/)),
    ];
    const words = running.map((path) => readFileSync(join(root, path), "utf8").match(/[\w$]+/g) ?? []);
    const uses = new Map<string, number>();
    for (const word of words.flat()) uses.set(word, (uses.get(word) ?? 0) + 1);
    const idle = all
      .filter((path) => /^(?:lib|db)\//.test(path) && !path.startsWith("db/schema/"))
      .flatMap((path) => {
        const text = readFileSync(join(root, path), "utf8");
        const names = text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm);
        return [...names].map(([, name = ""]) => name);
      })
      .filter((name) => uses.get(name) === 1);
    expect(idle.toSorted()).toEqual(ONLY_TESTED);
  });
});

/** Hooks and properties whose effect only the framework's scripts bring about; no page loads these. */
const NEEDS_FRAMEWORK =
  /\buse(?:State|Effect|Transition|Router|Ref)\b|\bon(?:Click|Change|Submit|KeyDown)=|\bnext\/link\b/;

it("no page has a part that needs the framework's scripts", () => {
  const parts = all.filter((path) => path.startsWith("app/"));
  expect(parts.filter((path) => NEEDS_FRAMEWORK.test(readFileSync(join(root, path), "utf8")))).toEqual([]);
});

/** Modules of lib: its folders and single files, with the modules each imports, types included. */
describe("modules of lib", () => {
  const entryOf = (path: string) => /^lib\/([^/.]+)/.exec(path)?.[1] ?? "";
  const entries = new Set(all.map(entryOf).filter((entry) => entry !== ""));
  const importedBy = new Map([...entries].map((entry) => [entry, new Set<string>()]));
  for (const { from, to } of imports) {
    const [importer, imported] = [entryOf(from), entryOf(to)];
    if (importer !== imported && imported !== "") importedBy.get(importer)?.add(imported);
  }

  it("lib has at most 21 modules, with at most 122 pairs of importing and imported module", () => {
    const pairs = [...importedBy].flatMap(([importer, imported]) =>
      [...imported].map((entry) => `${importer} -> ${entry}`),
    );
    expect([...entries].length, [...entries].join(", ")).toBeLessThanOrEqual(21);
    expect(pairs.length, pairs.join("\n")).toBeLessThanOrEqual(122);
    expect(pairs).toContain("signals -> wire");
  });

  it("modules of lib have no import cycles", () => {
    // A module that imports only resolved modules is resolved. The rest is in a cycle or depends on one.
    const settled = new Set<string>();
    let before = -1;
    while (settled.size > before) {
      before = settled.size;
      for (const [entry, imported] of importedBy)
        if ([...imported].every((other) => settled.has(other))) settled.add(entry);
    }
    expect([...entries].filter((entry) => !settled.has(entry))).toEqual([]);
  });
});

describe("process.env", () => {
  it("process.env is read only in lib/runtime/env.ts and a few named files", () => {
    const exceptions = [
      "lib/runtime/env.ts",
      // a page for development: the bundler replaces NODE_ENV, so production omits it
      "app/gallery/page.tsx",
      // the addresses of the site's own scripts, inserted by the build
      "app/admin/(area)/layout.tsx",
      "app/layout.tsx",
      "app/portal/_components/live.tsx",
      // start PostgreSQL and Next as child processes with their own environment
      "db/embedded/cluster.ts",
      "lib/server/dev.ts",
      // next-auth reads the site's address only from a variable
      "lib/auth/next-auth-options.ts",
      // sets a default before the environment is parsed
      "lib/commands/operator-command.ts",
      "lib/commands/with-database.ts",
      // the folder of candle files depends on the machine, not on the service
      "lib/commands/engine.ts",
    ];
    const readers = all.filter((path) => /process\.env\b/.test(readFileSync(join(root, path), "utf8")));
    expect(readers.toSorted()).toEqual(exceptions.toSorted());
  });
});

describe("AbortSignal.any", () => {
  it("AbortSignal.any is not used, because Node 20 leaks long-lived signals", () => {
    const callers = all.filter((path) => /AbortSignal\.any\(/.test(readFileSync(join(root, path), "utf8")));
    expect(callers).toEqual([]);
  });
});

describe("asynchronous guards", () => {
  it("asynchronous guards are awaited at every call", () => {
    const guard =
      /(?<!function )\b(requireAdministrator|requireMetricsReader|requireAnonymousQuota|requireRecordIsOnAndQuota|requireApiKey|requireQuota)\(/g;
    const calls = all.flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return [...text.matchAll(guard)].map(({ index }) => ({ path, before: text.slice(0, index) }));
    });
    expect(calls.length).toBeGreaterThan(15);
    expect(calls.filter(({ before }) => !/\bawait $/.test(before)).map(({ path }) => path)).toEqual([]);
  });
});
