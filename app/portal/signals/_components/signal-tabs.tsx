import { Tabs } from "@/app/_components/tabs";
import { paths } from "@/lib/paths";

/** The two views of signals: the newest of each slot, and the history. */
export function SignalTabs({ current }: { current: string }) {
  return (
    <Tabs
      label="Views of signals"
      current={current}
      tabs={[
        { href: paths.portalSignals(), label: "Now" },
        { href: paths.portalSignalHistory(), label: "History" },
      ]}
    />
  );
}
