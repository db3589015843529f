import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Source files of our own below a folder, as paths from the root; a folder that is not there has none. */
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
  /** A path from the root for our own files, else the package. */
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

// Biome states the layers and forbids circles between files (biome.json). Here stands what it cannot say: it does not
// tell a type from a value, and it does not count.
describe("imports", () => {
  it("are found by this test", () => {
    expect(imports.length).toBeGreaterThan(200);
    expect(imports).toContainEqual({ from: "lib/runtime/env.ts", to: "zod", typeOnly: false });
    expect(say(imports)).toContain("app/api/scan/route.ts -> lib/signals/scan");
    expect(say(imports)).toContain("lib/engine/outcome.ts -> lib/engine/classes");
  });

  it("keep Next and React out of the rules, but for the browser edge, the process that starts them and the mails", () => {
    const exempt = ["lib/auth/", "lib/server/pages/", "lib/outbound/mail/"];
    const wrong = imports.filter(
      ({ from, to }) =>
        from.startsWith("lib/") &&
        /^(next|react|react-dom)(\/|$)/.test(to) &&
        !exempt.some((prefix) => from.startsWith(prefix)),
    );
    expect(say(wrong)).toEqual([]);
  });

  it("keep SQL out of the rules: verbs reach tables through db/queries, and know of the schema its types", () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        from.startsWith("lib/") && !typeOnly && /^(drizzle-orm|db\/schema)(\/|$)/.test(to),
    );
    expect(say(wrong)).toEqual([]);
  });
});

/** An export without a caller is usually forgotten somewhere, such as a job that is missing from the list of jobs. */
describe("what lib and db export", () => {
  // For tests, and for the commands of this repository.
  const BESIDE = [
    "RECIPE_NAMES",
    "VARIABLE_NAMES",
    "featureImportance",
    "groupExecutions",
    "normalQuantile",
    "sumDatabase",
    "writeSchema",
  ];

  it("is used by something that runs", () => {
    const running = [...all, ...["lib", "db"].flatMap((folder) => sources(folder, /\.mjs$/))];
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
    expect(idle.toSorted()).toEqual(BESIDE);
  });
});

/** The entries of lib: its folders and its loose files. Which imports which, types included. */
describe("the entries of lib", () => {
  const entryOf = (path: string) => /^lib\/([^/.]+)/.exec(path)?.[1] ?? "";
  const entries = new Set(all.map(entryOf).filter((entry) => entry !== ""));
  const importedBy = new Map([...entries].map((entry) => [entry, new Set<string>()]));
  for (const { from, to } of imports) {
    const [importer, imported] = [entryOf(from), entryOf(to)];
    if (importer !== imported && imported !== "") importedBy.get(importer)?.add(imported);
  }

  it("are few, and few of them know each other", () => {
    const pairs = [...importedBy].flatMap(([importer, imported]) =>
      [...imported].map((entry) => `${importer} -> ${entry}`),
    );
    expect([...entries].length, [...entries].join(", ")).toBeLessThanOrEqual(21);
    expect(pairs.length, pairs.join("\n")).toBeLessThanOrEqual(122);
    expect(pairs).toContain("signals -> wire");
  });

  it("stand in layers: no chain of imports comes back to where it began", () => {
    // Whatever imports only what is settled already is settled too. What is left stands in a circle or above one.
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
  it("is read in lib/runtime/env.ts and at the named edges alone", () => {
    const exceptions = [
      "lib/runtime/env.ts",
      // a page for building pages: the bundler itself replaces NODE_ENV, so that production has none of it
      "app/gallery/page.tsx",
      // the address of the site's own script, written into the page by the build
      "app/layout.tsx",
      // start PostgreSQL and Next as children with an environment of their own
      "db/embedded/cluster.ts",
      "lib/server/dev.ts",
      // next-auth takes the site's address from a variable and from nowhere else
      "lib/auth/next-auth-options.ts",
      // sets a default before the environment is parsed
      "lib/commands/operator-command.ts",
      "lib/commands/with-database.ts",
      // where candle files lie is a matter of the machine, not of the service
      "lib/commands/engine.ts",
    ];
    const readers = all.filter((path) => /process\.env\b/.test(readFileSync(join(root, path), "utf8")));
    expect(readers.toSorted()).toEqual(exceptions.toSorted());
  });
});

describe("AbortSignal.any", () => {
  it("makes no signal: in Node 20 those that live long keep a trace of each", () => {
    const callers = all.filter((path) => /AbortSignal\.any\(/.test(readFileSync(join(root, path), "utf8")));
    expect(callers).toEqual([]);
  });
});

describe("guards that take a moment", () => {
  it("are waited for wherever they are called", () => {
    const guard =
      /(?<!function )\b(requireAdministrator|requireMetricsToken|requireOpenQuota|requirePublicRecord|requireApiKey|requireQuota)\(/g;
    const calls = all.flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return [...text.matchAll(guard)].map(({ index }) => ({ path, before: text.slice(0, index) }));
    });
    expect(calls.length).toBeGreaterThan(15);
    expect(calls.filter(({ before }) => !/\bawait $/.test(before)).map(({ path }) => path)).toEqual([]);
  });
});
