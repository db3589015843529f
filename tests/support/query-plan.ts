import type postgres from "postgres";
import { expect } from "vitest";
import { statementsOf } from "./sent-statements";

/** A node of a plan in JSON. */
export interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: PlanNode[];
}

/** A node of an executed plan. */
export interface RunNode extends PlanNode {
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: RunNode[];
}

/** Rows that these nodes read, those that a filter removed included. */
export const rowsRead = (scans: readonly RunNode[]): number =>
  scans.reduce(
    (sum, scan) => sum + (scan["Actual Rows"] + (scan["Rows Removed by Filter"] ?? 0)) * scan["Actual Loops"],
    0,
  );

/** Plan nodes that read `table`, for the exact statement of one of the service's queries. */
export async function scansOf(
  sql: postgres.Sql,
  table: string,
  run: () => Promise<unknown>,
): Promise<RunNode[]> {
  const statement = (await statementsOf(run)).at(-1);
  if (!statement) throw new Error("no statement was sent");
  const [row] = await sql.unsafe(`explain (analyze, format json) ${statement.text}`, statement.parameters);
  const found: RunNode[] = [];
  const visit = (node: RunNode) => {
    if (node["Relation Name"] === table) found.push(node);
    node.Plans?.forEach(visit);
  };
  visit(row?.["QUERY PLAN"][0].Plan);
  expect(found.length).toBeGreaterThan(0);
  return found;
}
