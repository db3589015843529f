import { z } from "zod";

/** Header in which Next's router in the browser sends its state, to fetch only what changes. */
export const ROUTER_STATE_HEADER = "next-router-state-tree";

const Segment = z.union([
  z.string(),
  z.tuple([
    z.string(),
    z.string(),
    z.string().regex(/^(?:c|oc|d|[cd]i\((?:\.{1,3}|\.\.\)\(\.\.)\))$/),
    z.array(z.string()).nullable(),
  ]),
]);
const RouterState: z.ZodType = z.lazy(() =>
  z.tuple([
    Segment,
    z.record(z.string(), RouterState),
    z.tuple([z.string(), z.string()]).nullish(),
    z.enum(["refetch", "inside-shared-layout", "metadata-only"]).nullish(),
    z.number().nullish(),
    z.string().optional(),
  ]),
);

/** Whether Next can parse this state. It answers 500 to a malformed state, and sends the whole page without one. */
export function isRouterState(header: string): boolean {
  try {
    return RouterState.safeParse(JSON.parse(decodeURIComponent(header))).success;
  } catch {
    return false;
  }
}
