/** Generates the types of the interface from its OpenAPI document. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeOpenApiDocument } from "@/lib/api/openapi/document";
import type { Operation } from "@/lib/api/openapi/operation";

const here = fileURLToPath(new URL(".", import.meta.url));

const SCHEMA_FILE = join(here, "schema.d.ts");

/** Writes schema.d.ts next to this file. */
export function writeSchema(operations: readonly Operation[]): void {
  writeFileSync(SCHEMA_FILE, generateSchema(operations));
}

function generateSchema(operations: readonly Operation[]): string {
  const directory = mkdtempSync(join(tmpdir(), "signal-openapi-"));
  try {
    const document = join(directory, "openapi.json");
    const output = join(directory, "schema.d.ts");
    writeFileSync(document, JSON.stringify(makeOpenApiDocument(operations, "https://signals.example")));
    const generator = join(here, "node_modules/openapi-typescript/bin/cli.js");
    const { status, stderr } = spawnSync(process.execPath, [generator, document, "-o", output], {
      cwd: here,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`openapi-typescript failed: ${stderr}`);
    return readFileSync(output, "utf8");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
