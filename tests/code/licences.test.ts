import { expect, it } from "vitest";
import { renderLicences } from "./licences";

it("the licences of all shipped packages allow commercial use", () => {
  const list = renderLicences();
  const licences = [...list.matchAll(/^## (.+) \(\d+\)$/gm)].map(([, licence]) => licence ?? "");
  expect(licences).toContain("MIT");
  const free =
    /^\(?(MIT|MIT-0|ISC|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|0BSD|CC-BY-4\.0|Unlicense|CC0-1\.0|BlueOak-1\.0\.0)\b/;
  expect(licences.filter((licence) => !free.test(licence))).toEqual([]);
});
