import { paths } from "@/lib/paths";
import { LandingSection } from "./section";

const IN_TIME = {
  term: "Committed in time",
  text: "Only signals that were sealed in the ledger before the next candle closed count. Signals entered later are listed separately and not counted in the record.",
};
const SIMULATED = {
  term: "Simulated here",
  text: "On a real market only signals that were sealed in the ledger before the next candle closed count. This market is simulated, so nothing here was committed in time.",
};
const RULES = [
  {
    term: "How many trades",
    text: "Every rate comes with the number of results behind it. Below fifty results the record shows no rate.",
  },
  {
    term: "How certain",
    text: "A win rate comes with its 95 % interval. Signals that overlap in time count as one in it, because together they prove little more than one.",
  },
  {
    term: "Compared with luck",
    text: "Each model is compared with two bots that know nothing. A coin trades the same signals at the same levels; the class frequencies choose their own signals. A model that does not beat them has no edge, and the record says so.",
  },
  {
    term: "Does 60 % mean 60 %?",
    text: "When a model says 60 %, about 60 of 100 such cases should come true. The calibration chart shows how far off it is, with the number of cases.",
  },
  {
    term: "After costs",
    text: "Results are computed from the candles that follow, less the symbol's round-trip cost, never from client reports. Once final they do not change.",
  },
  {
    term: "NO TRADE counts",
    text: "On most candles NO TRADE is the honest answer. It is delivered, shown and counted like BUY and SELL.",
  },
];

export function HowResultsAreShown({ recordShown, simulated }: { recordShown: boolean; simulated: boolean }) {
  return (
    <LandingSection
      title="How results are shown"
      lead={
        recordShown && (
          <>
            In the{" "}
            <a href={paths.record()} className="link">
              record
            </a>
            . You can{" "}
            <a href={paths.verify()} className="link">
              check every figure yourself
            </a>
            .
          </>
        )
      }
    >
      <dl className="grid gap-x-12 gap-y-10 sm:grid-cols-2">
        {[simulated ? SIMULATED : IN_TIME, ...RULES].map((rule) => (
          <div key={rule.term}>
            <dt className="font-semibold">{rule.term}</dt>
            <dd className="mt-1.5 text-muted">{rule.text}</dd>
          </div>
        ))}
      </dl>
    </LandingSection>
  );
}
