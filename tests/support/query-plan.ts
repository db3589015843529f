import type postgres from "postgres";
import { expect } from "vitest";
import { statementsOf } from "./sent-statements";

/** A node of the plan that EXPLAIN (FORMAT JSON) returns. */
export interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: PlanNode[];
}

/** A node of the plan that EXPLAIN (ANALYZE, FORMAT JSON) returns, with row counts per loop. */
export interface AnalyzedPlanNode extends PlanNode {
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: AnalyzedPlanNode[];
}

/** Number of rows that these nodes read in all loops, including those that a filter removed. */
export const rowsRead = (scans: readonly AnalyzedPlanNode[]): number =>
  scans.reduce(
    (sum, scan) => sum + (scan["Actual Rows"] + (scan["Rows Removed by Filter"] ?? 0)) * scan["Actual Loops"],
    0,
  );

/**
 * Executes the last statement of `run` once more, with EXPLAIN ANALYZE. Returns the plan nodes that read `table`; fails
 * if there is none.
 */
export async function explainTableScans(
  sql: postgres.Sql,
  table: string,
  run: () => Promise<unknown>,
): Promise<AnalyzedPlanNode[]> {
  const statement = (await statementsOf(run)).at(-1);
  if (!statement) throw new Error("no statement was sent");
  const [row] = await sql.unsafe(`explain (analyze, format json) ${statement.text}`, statement.parameters);
  const found: AnalyzedPlanNode[] = [];
  const visit = (node: AnalyzedPlanNode) => {
    if (node["Relation Name"] === table) found.push(node);
    node.Plans?.forEach(visit);
  };
  visit(row?.["QUERY PLAN"][0].Plan);
  expect(found.length).toBeGreaterThan(0);
  return found;
}
