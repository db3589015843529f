import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("every page uses the link component without prefetching", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const others = files.filter((file) =>
    /import \w+(, \{[^}]*\})? from "next\/link"/.test(readFileSync(join("app", file), "utf8")),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(others).toEqual([join("_components", "link.tsx")]);
});
