import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "@/app/operations.generated";
import { SPECIFICATION_SECTIONS } from "./specification";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("docs/interface-coverage.md", () => {
  it("docs/interface-coverage.md names only existing tests", () => {
    const missing = SPECIFICATION_SECTIONS.flatMap(({ rows }) => rows)
      .filter(({ proof: [file, title] }) => !read(file).includes(`"${title}"`))
      .map(({ proof }) => proof.join(": "));
    expect([...new Set(missing)]).toEqual([]);
  });

  it("docs/interface-coverage.md has a row for every API operation", () => {
    const rows =
      SPECIFICATION_SECTIONS.find(({ title }) => title === "Endpoints")?.rows.map(({ row }) => row) ?? [];
    const uncovered = OPERATIONS.filter(
      ({ path }) =>
        !rows.some(
          (row) =>
            row.includes(path) || (row.includes("/admin/ingest/*") && path.startsWith("/admin/ingest/")),
        ),
    ).filter(({ id }) => id !== "receivePaymentPlural");
    expect(uncovered.map(({ id }) => id)).toEqual([]);
  });
});
