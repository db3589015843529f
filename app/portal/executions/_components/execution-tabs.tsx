import { paths } from "@/lib/paths";
import { Tabs } from "../../../_components/tabs";

/** The two views of executions: what they add up to, and each of them. */
export function ExecutionTabs({ current, count }: { current: string; count?: number }) {
  return (
    <Tabs
      label="Views of executions"
      current={current}
      tabs={[
        { href: paths.portalResults(), label: "Results" },
        { href: paths.portalExecutionList(), label: "Positions", ...(count === undefined ? {} : { count }) },
      ]}
    />
  );
}
