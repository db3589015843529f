import { Download } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Link } from "@/app/_components/link";
import { Notice } from "@/app/_components/notice";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { type EaKitFile, paths } from "@/lib/paths";

export const metadata = {
  title: "EA kit",
  description: "An MQL5 include, a sample EA, a Python client, and an EA that sends candles.",
};

const FILES: { file: EaKitFile; kind: string; text: string }[] = [
  {
    file: "SignalDelivery.mqh",
    kind: "MQL5 and MQL4 include",
    text: "Reads the newest signal of a slot and reports positions. Waits when the service asks to, explains every network code, sends plain JSON without the trailing zero.",
  },
  {
    file: "SignalFollower.mq5",
    kind: "MQL5 sample EA",
    text: "Follows the slot of its chart with a fixed risk per position, refuses stale signals, and reports openings and closings. A restart or a lost answer leads to a repeated report, never to a missing one.",
  },
  {
    file: "SignalFollower.mq4",
    kind: "MQL4 sample EA",
    text: "The same for MetaTrader 4, with the same include. Show the whole history in the tab Account History: the EA sees what is shown there.",
  },
  {
    file: "CandlePusher.mqh",
    kind: "EA for operators, MetaTrader 5 and 4",
    text: "Sends the closed bars of any charts to the service, with a token that may do nothing else. Goes on where it stood after every stop. It trades nothing. Needs one of the next two beside it.",
  },
  {
    file: "CandlePusher.mq5",
    kind: "The same for MetaTrader 5",
    text: "Includes the file above. Put both into MQL5/Experts, in one folder.",
  },
  {
    file: "CandlePusher.mq4",
    kind: "The same for MetaTrader 4",
    text: "Includes it as well. Put both into MQL4/Experts, in one folder.",
  },
  {
    file: "signal_delivery.py",
    kind: "Python client",
    text: "One file that needs Python 3.9 alone. Waits for signals or streams them and goes on by itself, honours Retry-After, keeps the ETag, and can be used from the command line. As a typed package to install, with pyproject.toml, it lies in the sources under public/ea-kit/python.",
  },
];

export default function EaKit() {
  return (
    <Article
      page="ea-kit"
      title="EA kit"
      lead="Files to read, to change and to build on. Use them for whatever you like."
    >
      <ul className="!mt-0 !list-none divide-y overflow-hidden rounded-lg border bg-raised !p-0">
        {FILES.map(({ file, kind, text }) => (
          <li key={file} className="!mt-0 flex flex-wrap items-start justify-between gap-4 p-5 sm:p-6">
            <div className="min-w-0 flex-1 basis-72">
              <p className="text-xs text-faint">{kind}</p>
              <p className="mt-0.5 font-mono text-sm font-semibold">{file}</p>
              <p className="mt-2 text-base text-muted">{text}</p>
            </div>
            <LinkButton href={paths.eaKitFile(file)} download size="small">
              <Download aria-hidden="true" />
              Download
              <span className="sr-only">{file}</span>
            </LinkButton>
          </li>
        ))}
      </ul>
      <h2 id="install">Into MetaTrader</h2>
      <ol>
        <li>
          In the terminal choose File, Open Data Folder, and put <code>SignalDelivery.mqh</code> and{" "}
          <code>SignalFollower.mq5</code> into <code>MQL5/Experts</code>, in one folder; for MetaTrader 4{" "}
          <code>SignalFollower.mq4</code> instead, into <code>MQL4/Experts</code>.
        </li>
        <li>Open the sample in MetaEditor and press F7.</li>
        <li>
          Allow the address and fill in the two inputs, as in the{" "}
          <Link href={paths.docs(undefined, "mql5")}>quick start</Link>.
        </li>
      </ol>
      <h2 id="how">How the sample trades</h2>
      <p>
        It opens at the next look after a fresh BUY or SELL, with a stop at 2 ATR(14), a target at{" "}
        <code>expected_rr</code> times the stop, and closes after 12 candles at the latest: the rules by which
        the service judges its own signals, so that your results can be compared with them. The ATR is
        Wilder&apos;s, of your broker&apos;s candles; MetaTrader&apos;s own indicator is a plain average and
        gives other figures. The volume is the largest whose loss at the stop stays within{" "}
        <code>InpRiskPct</code> of the equity; if even the smallest risks more, it does not trade.
      </p>
      <p>
        It holds one position per chart, and charts of one symbol with different timeframes keep theirs apart.
        On a netting account a symbol has one position for everybody: there it waits until none is open.
      </p>
      <Notice tone="warn" title="Not a promise">
        The MQL5 files are run by tests in a stand-in of the terminal, against the service itself; MetaEditor
        and your broker take no part in that. Try them on a demo account first.
      </Notice>
    </Article>
  );
}
