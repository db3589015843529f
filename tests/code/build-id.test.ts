import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { missingFiles } from "@/lib/server/start.mjs";
import config from "@/next.config.mjs";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const root = join(import.meta.dirname, "../..");

it("the build id is the same for a copy of the sources, and another after a change of them", async () => {
  const copy = temporaryDirectory("signal-sources-");
  const sources = ["app", "db", "emails", "lib", "public"];
  const files = [
    "instrumentation.ts",
    "package-lock.json",
    "next.config.mjs",
    "postcss.config.mjs",
    "tsconfig.json",
  ];
  for (const name of [...sources, ...files])
    cpSync(join(root, name), join(copy, name), {
      recursive: true,
      filter: (path) => !path.includes("node_modules"),
    });
  const { sourceDigest } = await import(pathToFileURL(join(copy, "lib/server/start.mjs")).href);

  const id = await config.generateBuildId?.();
  expect(id).toMatch(/^[0-9a-f]{20}$/);
  expect(sourceDigest().slice(0, 20)).toBe(id);
  appendFileSync(join(copy, "lib/time.ts"), "\n");
  expect(sourceDigest().slice(0, 20)).not.toBe(id);
});

it("a build without the scripts of the portal or the administration is not complete", async () => {
  const folder = temporaryDirectory("signal-generated-");
  const scripts = ["public/scripts/portal.js", "public/scripts/admin.js"];
  expect(missingFiles(folder)).toEqual(scripts);
  mkdirSync(join(folder, "public/scripts"), { recursive: true });
  for (const path of scripts) writeFileSync(join(folder, path), "");
  expect(missingFiles(folder)).toEqual([]);
});
