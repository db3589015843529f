import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber, formatSigned } from "@/app/_components/figures";
import { type Decomposition, microRToR } from "@/lib/executions/own-record/decompose";
import type { NotTradedReason } from "@/lib/vocabulary";

/** Display texts of the reasons for which trading clients report that they did not trade a signal. */
export const NOT_TRADED_REASON_LABELS: Record<NotTradedReason, string> = {
  SPREAD: "Spread too large",
  CONFIDENCE: "Confidence below your limit",
  OWN_POSITION: "Position already open",
  DAILY_LOSS: "Daily loss reached",
  DRAWDOWN: "Drawdown reached",
  MOST_POSITIONS: "Most open positions reached",
  HOURS: "Time you excluded",
  TOO_LATE: "Too late",
  PAUSE: "Paused in the portal",
  VOLUME: "Smallest volume risks too much",
  NO_SYMBOL: "Symbol not found at the broker",
  TERMINAL_ERROR: "Refused by the terminal",
};

type Row = Decomposition["whyNot"][number];

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "reason",
    header: "Reason",
    primary: true,
    cell: ({ reason }) => (reason === null ? "Not reported" : NOT_TRADED_REASON_LABELS[reason]),
  },
  { key: "n", header: "n", align: "right", cell: ({ n }) => formatNumber(n) },
  {
    ...{ key: "r", header: "Difference", unit: "R", align: "right" },
    cell: ({ microR }) => formatSigned(microRToR(microR)),
  },
];

/** The reasons that the client reported for signals that it did not follow. */
export function NotTradedReasonTable({ rows }: { rows: readonly Row[] }) {
  return (
    <DataTable
      caption="Signals not followed, by reason"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ reason }) => reason ?? "none"}
      cards={false}
    />
  );
}
