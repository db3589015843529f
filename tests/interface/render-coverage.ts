import { SPECIFICATION_SECTIONS } from "./specification";

/** Renders docs/interface-coverage.md. */
export function renderInterfaceCoverage(): string {
  const sections = SPECIFICATION_SECTIONS.map(({ title, rows }) => {
    const lines = rows.map(
      ({ row, proof: [file, test] }) => `| ${cell(row)} | [${file}](../${file}) | ${cell(test)} |`,
    );
    return `## ${title}\n\n| row | file | test |\n|---|---|---|\n${lines.join("\n")}\n`;
  });
  return `# API promises and their tests

Written by \`npm run generate\` from \`tests/interface/specification.ts\`; do not edit. In addition, every answer that a test
receives is compared with the OpenAPI document (\`tests/support/openapi-check.ts\`). A full run fails if the document describes an
answer that no test has received.

${sections.join("\n")}`;
}

const cell = (text: string) => text.replaceAll("|", "\\|");
