import { SECTIONS } from "./specification";

/** Renders docs/interface-coverage.md. */
export function renderCoverage(): string {
  const sections = SECTIONS.map(({ title, rows }) => {
    const lines = rows.map(
      ({ row, proof: [file, test] }) => `| ${cell(row)} | [${file}](../${file}) | ${cell(test)} |`,
    );
    return `## ${title}\n\n| row | file | test |\n|---|---|---|\n${lines.join("\n")}\n`;
  });
  return `# What the interface promises, and the test that proves it

Written by \`npm run generate\` from \`tests/interface/specification.ts\`; do not edit. Beside these, every answer that
any test receives is held against the OpenAPI document (\`tests/support/document-check.ts\`), and a complete run fails when
the document describes an answer that no test has seen.

${sections.join("\n")}`;
}

const cell = (text: string) => text.replaceAll("|", "\\|");
