import { Notice } from "@/app/_components/notice";
import type { Diagnostic } from "@/lib/subscribers/diagnostics";

const TONE = { error: "danger", warning: "warn", info: "info" } as const;

/** Problems that were found with the trading client, each with what to do. */
export function Diagnostics({ diagnostics }: { diagnostics: readonly Diagnostic[] }) {
  return diagnostics.map((diagnostic) => (
    <Notice key={diagnostic.code} tone={TONE[diagnostic.severity]} title={diagnostic.message}>
      {diagnostic.fix}
    </Notice>
  ));
}
