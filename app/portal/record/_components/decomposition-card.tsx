import { Card } from "@/app/_components/card";
import { countWithNoun, formatSigned } from "@/app/_components/figures";
import {
  type Decomposition,
  DIFFERENCE_PARTS,
  type DifferencePart,
  microRToR,
} from "@/lib/executions/own-record/decompose";
import { Waterfall, type WaterfallStep } from "./waterfall";

const PART_LABELS: Record<DifferencePart, { label: string; short: string }> = {
  unknown: { label: "Unknown whether fetched", short: "unknown" },
  notFetched: { label: "Not fetched", short: "unfetched" },
  notFollowed: { label: "Not followed", short: "unfollowed" },
  withoutResult: { label: "Open, or without prices", short: "open" },
  late: { label: "Late", short: "late" },
  slippage: { label: "Slippage", short: "slippage" },
  ownExits: { label: "Own exits", short: "exits" },
  again: { label: "Followed more than once", short: "again" },
};

/** The steps from the model's result to the subscriber's result. */
export function DecompositionCard({
  decomposition: { model, parts, own },
  nOthers,
  words,
}: {
  decomposition: Decomposition;
  nOthers: number;
  /** Labels that name the subscriber: `you` in the portal, `the subscriber` on a shared record. */
  words: { title: string; own: string; short: string; spared: string };
}) {
  const steps: WaterfallStep[] = [
    { label: "The model", short: "model", value: microRToR(model.microR), n: model.n, isLevel: true },
    ...DIFFERENCE_PARTS.filter((name) => parts[name].n > 0).map((name) => ({
      ...PART_LABELS[name],
      isUnknown: name === "unknown",
      value: microRToR(parts[name].microR),
      n: parts[name].n,
    })),
    { label: words.own, short: words.short, value: microRToR(own.microR), n: own.n, isLevel: true },
  ];
  const others =
    nOthers > 0
      ? ` ${countWithNoun(nOthers, "position")} of this period followed none of these signals and ${nOthers === 1 ? "is" : "are"} left out.`
      : "";
  return (
    <Card
      title={words.title}
      lead="In R (the distance from entry to stop), over signals whose next 12 candles have closed. The steps add up exactly."
      footer={`Missed signals are valued at the model's result. Grey is no loss: signals from before fetches were recorded, or made so late that no client could fetch them in time. Late is the market's move until the opening: over few signals it is mostly luck. Green: a loss ${words.spared}.${others}`}
    >
      {model.n === 0 ? (
        <p className="text-sm text-muted">
          The next 12 candles of a signal have to close first. No signal of this period is that old yet.
        </p>
      ) : (
        <Waterfall
          summary={`The model made ${formatSigned(microRToR(model.microR))} R from ${countWithNoun(model.n, "signal")}; ${countWithNoun(own.n, "position")} that followed them made ${formatSigned(microRToR(own.microR))} R.`}
          steps={steps}
          notes={`n = ${countWithNoun(model.n, "resolved signal")}, ${countWithNoun(own.n, "position")} with a result`}
        />
      )}
    </Card>
  );
}
