import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import type { ReportField } from "@/lib/wire/execution-report";

export const metadata = {
  title: "Executions",
  description: "Reporting opened and closed positions, safely repeated.",
};

/** What each field of a report means: none can be left out. */
const MEANINGS: Record<ReportField, string> = {
  ticket: "Your platform's number of the position, as a number or as digits in quotes; exact up to 2^63 - 1.",
  symbol: "As your broker writes it: EURUSDm, EURUSD.i and GOLD are understood.",
  timeframe: "H1, PERIOD_H1, 60, or what MQL5 stores for it.",
  signal: "BUY or SELL, the direction that you followed. NO_TRADE is not an execution.",
  pred_id: "The signal that you followed. Absent, null, 0 or -1: none.",
  confidence: "0 to 1, as it was delivered.",
  opened_at: "Absent on a first report: the time of its arrival.",
  entry_price: "The price at which it was opened, with a decimal point.",
  exit_price: "The price at which it was closed, with a decimal point.",
  closed_at: "Makes the position a closed one. Empty, 0 or 1970.01.01 00:00:00: still open.",
  pnl: "Profit or loss in the currency of the account. Swap and commission are included if you include them.",
  result: "Up to 32 characters; usual are TP, SL, TRAIL, BE, MANUAL, SIGNAL, TIMEOUT, STOPOUT, OTHER.",
  volume: "Optional. Lots, more than 0.",
  commission: "Optional. In the currency of the account; a charge is less than 0.",
  swap: "Optional. In the currency of the account.",
  currency: "Optional. Of the account, such as EUR. With magic it tells several accounts of one key apart.",
  magic: "Optional. The number by which your EA knows its own positions.",
  comment: "Optional. The first 64 characters are kept.",
};

export default function Executions() {
  return (
    <Article
      page="executions"
      title="Executions"
      lead={
        <>
          <code>POST /api/executions</code> records what your client did. It may be sent as often as you like:
          the ticket is the key.
        </>
      }
    >
      <h2 id="fields">What to send</h2>
      <p>
        The first report of a ticket needs <code>ticket</code>, <code>symbol</code>, <code>timeframe</code>{" "}
        and <code>signal</code>. For a ticket that is known, <code>ticket</code> and whatever is new are
        enough.
      </p>
      <Facts caption="Fields of a report" headers={["Field", "Meaning"]} rows={Object.entries(MEANINGS)} />
      <h2 id="repeat">Repeating</h2>
      <p>
        A repeated report answers 201 with <code>&quot;action&quot;:&quot;updated&quot;</code> and writes{" "}
        <code>closed_at</code>, <code>exit_price</code>, <code>pnl</code>, <code>result</code> and the
        optional fields where it brings a value. An empty value never wipes one. A report of the opening that
        arrives after the closing changes nothing. So after a lost answer: send it again.
      </p>
      <h2 id="times">Times</h2>
      <p>
        <code>2026-11-20T10:00:00Z</code> is best. Also understood: an offset instead of the Z, a blank
        instead of the T, <code>2026.11.20 10:00:00</code> as MQL writes it, and seconds or milliseconds since
        1970. A time without a zone is taken as UTC. A date that does not exist, or lies more than 26 hours
        ahead, is refused.
      </p>
      <h2 id="refused">When a report is refused</h2>
      <p>
        Status 422 names the field in <code>detail</code> and in <code>errors</code>. Refused reports are kept
        with their reason: the portal shows them under Key, so that a field that your EA gets wrong is found
        without a log file.
      </p>
      <h2 id="summary">Your figures</h2>
      <p>
        <code>GET /api/account/executions</code> lists positions opened in the last <code>days</code>, newest
        first, with a summary over all of them, whatever <code>limit</code> is. A win has a P/L above zero, a
        loss below; exactly zero is neither. The win rate is wins of wins and losses. The profit factor is
        gross profit by gross loss, null while there is no loss.
      </p>
      <p>
        With <code>expand=details</code> the list has the optional fields too, and the summary their sums by
        currency. An optional field that cannot be read is left out; it never refuses a report.
      </p>
    </Article>
  );
}
