import { Tabs } from "@/app/_components/tabs";
import { paths } from "@/lib/paths";

/** The two views of executions: results and list. */
export function ExecutionTabs({ current, count }: { current: string; count?: number }) {
  return (
    <Tabs
      label="Views of positions"
      current={current}
      tabs={[
        { href: paths.portalResults(), label: "Results" },
        { href: paths.portalExecutionList(), label: "List", ...(count === undefined ? {} : { count }) },
      ]}
    />
  );
}
