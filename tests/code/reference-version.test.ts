import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { paths } from "@/lib/paths";

it("the address of the API reference, which browsers keep for good, names the version that is installed", () => {
  const file = fileURLToPath(new URL("../../package.json", import.meta.url));
  const { dependencies } = JSON.parse(readFileSync(file, "utf8"));
  expect(paths.referenceScript()).toContain(`/${dependencies["@scalar/api-reference"]}/`);
});
