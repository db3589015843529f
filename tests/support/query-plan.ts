import type postgres from "postgres";
import { expect } from "vitest";
import { db } from "@/db/client";

export interface PlanNode {
  "Node Type": string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

/** Nodes of the plan that read `table`, of the very statement that a query of ours sends. */
export async function scansOf(
  sql: postgres.Sql,
  table: string,
  run: () => Promise<unknown>,
): Promise<PlanNode[]> {
  const statement = await statementOf(run);
  const [row] = await sql.unsafe(`explain (analyze, format json) ${statement.text}`, statement.parameters);
  const found: PlanNode[] = [];
  const visit = (node: PlanNode) => {
    if (node["Relation Name"] === table) found.push(node);
    node.Plans?.forEach(visit);
  };
  visit(row?.["QUERY PLAN"][0].Plan);
  expect(found.length).toBeGreaterThan(0);
  return found;
}

/** What the driver is told to send. */
async function statementOf(
  run: () => Promise<unknown>,
): Promise<{ text: string; parameters: (string | number)[] }> {
  const { options } = db().$client;
  const before = options.debug;
  let seen: { text: string; parameters: (string | number)[] } | null = null;
  options.debug = (_, text, parameters) => {
    // Types of the driver leave parameters open; the queries here send text and numbers.
    seen = { text, parameters: parameters as (string | number)[] };
  };
  try {
    await run();
  } finally {
    options.debug = before;
  }
  if (!seen) throw new Error("no statement was sent");
  return seen;
}
