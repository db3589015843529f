import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8");

/** Code without white space, because an excerpt may be indented differently. */
const plain = (code: string) => code.replaceAll(/\s+/g, " ").trim();

it("every excerpt in lib/README.md matches the named file", () => {
  const parts = [...read("lib/README.md").matchAll(/^`([\w/()[\].-]+)`$|^```ts\n(.*?)^```$/gms)];
  const excerpts: { file: string; code: string }[] = [];
  let file = "";
  for (const [, named, code] of parts) {
    if (named !== undefined) file = named;
    else excerpts.push({ file, code: plain(code ?? "") });
  }
  expect(excerpts.length).toBeGreaterThanOrEqual(4);
  expect(excerpts.filter(({ file, code }) => !plain(read(file)).includes(code))).toEqual([]);
});
