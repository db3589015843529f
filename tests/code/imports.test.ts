import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Source files of our own below a folder, as paths from the root; a folder that is not there has none. */
function sources(folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx)$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
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

const all = ["app", "lib", "db", "emails"].flatMap(sources);
const imports = all.flatMap(importsOf);
const own = (to: string) => /^(app|lib|db|emails|tests)\//.test(to);
const say = (found: Import[]) => found.map(({ from, to }) => `${from} -> ${to}`);

describe("imports", () => {
  it("are found by this test", () => {
    expect(imports.length).toBeGreaterThan(200);
    expect(imports).toContainEqual({ from: "lib/env.ts", to: "zod", typeOnly: false });
    expect(say(imports)).toContain("app/api/scan/route.ts -> lib/signals/scan");
    expect(say(imports)).toContain("lib/engine/outcome.ts -> lib/engine/classes");
  });

  it("never reach from lib, db or emails into app, nor from anywhere into the tests", () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        // The table of the interface mounts what app exports.
        (to.startsWith("app/") && !from.startsWith("app/") && from !== "lib/server/mounts.ts") ||
        to.startsWith("tests/"),
    );
    expect(say(wrong)).toEqual([]);
  });

  it("keep lib/market and lib/engine to themselves", () => {
    const pure = (path: string) => path.startsWith("lib/market/") || path.startsWith("lib/engine/");
    const wrong = imports.filter(
      ({ from, to }) => pure(from) && (own(to) ? !pure(to) : to !== "trading-signals"),
    );
    expect(say(wrong)).toEqual([]);
  });

  it("let db know of lib only the environment and the registry of its process", () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        from.startsWith("db/") &&
        own(to) &&
        !to.startsWith("db/") &&
        !["lib/env", "lib/process-wide"].includes(to),
    );
    expect(say(wrong)).toEqual([]);
  });

  it("let db/schema know only itself and its library", () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        from.startsWith("db/schema/") && !to.startsWith("db/schema/") && !to.startsWith("drizzle-orm"),
    );
    expect(say(wrong)).toEqual([]);
  });

  it("let emails know nothing of ours but emails", () => {
    const wrong = imports.filter(
      ({ from, to }) => from.startsWith("emails/") && own(to) && !to.startsWith("emails/"),
    );
    expect(say(wrong)).toEqual([]);
  });

  it("keep Next and React out of the rules, but for the browser edge and the process that starts them", () => {
    const exempt = ["lib/auth/", "lib/server/main.ts", "lib/mail/"];
    const wrong = imports.filter(
      ({ from, to }) =>
        from.startsWith("lib/") &&
        /^(next|react|react-dom)(\/|$)/.test(to) &&
        !exempt.some((prefix) => from.startsWith(prefix)),
    );
    expect(say(wrong)).toEqual([]);
  });

  it("keep SQL out of app: it reads through db/queries and the pool, and nothing else of db", () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        from.startsWith("app/") &&
        !typeOnly &&
        (/^(drizzle-orm|postgres)(\/|$)/.test(to) ||
          (to.startsWith("db/") && !/^db\/(client$|queries\/)/.test(to))),
    );
    expect(say(wrong)).toEqual([]);
  });

  it("keep SQL out of the rules: verbs reach tables through db/queries, and know of the schema its types", () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        from.startsWith("lib/") && !typeOnly && (/^drizzle-orm(\/|$)/.test(to) || to.startsWith("db/schema")),
    );
    expect(say(wrong)).toEqual([]);
  });

  it("let the edges of the interface be used by verbs only for contracts, types, bodies as received and bodies as kept", () => {
    // Bodies that are kept per version are written once, by the verb that keeps them: checked, with their entity tag.
    const allowed = /^lib\/api\/(contracts\/|json$|parse$|require-api-key$|answer$|conditional$|body$)/;
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        from.startsWith("lib/") &&
        !/^lib\/(api|server|auth|commands)\//.test(from) &&
        to.startsWith("lib/api/") &&
        !typeOnly &&
        !allowed.test(to),
    );
    expect(say(wrong)).toEqual([]);
  });
});

describe("process.env", () => {
  it("is read in lib/env.ts and at the named edges alone", () => {
    const exceptions = [
      "lib/env.ts",
      // a page for building pages: the bundler itself replaces NODE_ENV, so that production has none of it
      "app/gallery/page.tsx",
      // start PostgreSQL and Next as children with an environment of their own
      "db/embedded.ts",
      "lib/server/dev.ts",
      // next-auth takes the site's address from a variable and from nowhere else
      "lib/auth/next-auth-options.ts",
      // sets a default before the environment is parsed
      "lib/commands/with-database.ts",
      // where candle files lie is a matter of the machine, not of the service
      "lib/commands/engine.ts",
    ];
    const readers = all.filter((path) => /process\.env\b/.test(readFileSync(join(root, path), "utf8")));
    expect(readers.filter((path) => !exceptions.includes(path))).toEqual([]);
  });
});
