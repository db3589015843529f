import { Notice } from "@/app/_components/notice";
import type { Finding } from "@/lib/subscribers/findings";

const TONE = { error: "danger", warning: "warn", info: "info" } as const;

/** Diagnostics of the trading client, each with its remedy. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  return findings.map((finding) => (
    <Notice key={finding.code} tone={TONE[finding.severity]} title={finding.message}>
      {finding.fix}
    </Notice>
  ));
}
