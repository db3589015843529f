import { Link } from "@/app/_components/link";
import { paths } from "@/lib/paths";
import { Section } from "./section";

const RULES = [
  {
    term: "Before or after",
    text: "Only signals that were sealed before the next candle had closed count. What was entered later is shown apart, and is in no figure.",
  },
  {
    term: "How many",
    text: "Every rate stands beside the number of results behind it. Under fifty results we show no rate and say so.",
  },
  {
    term: "How sure",
    text: "A win rate comes with its 95 % interval. Signals that overlap in time count once in it, because together they tell little more than one.",
  },
  {
    term: "Compared with what",
    text: "Beside each model stand two bots that know nothing, a coin and the class frequencies, on the same signals and barriers. A model that cannot beat them has no edge, and you can see it.",
  },
  {
    term: "Is 60 % really 60 %",
    text: "When a model says 60 %, about 60 of 100 such cases should come true. The calibration shows how far it is from that, bin by bin, with the count of each.",
  },
  {
    term: "After costs",
    text: "Results are worked out from the candles that follow, less a typical cost for a round trip, never from anything a client reported. Once final they stay final.",
  },
  {
    term: "Staying out counts",
    text: "NO TRADE is an answer, and on most candles the honest one. It is delivered, shown and counted like the others.",
  },
];

export function Honesty({ recordShown }: { recordShown: boolean }) {
  return (
    <Section
      title="How results are shown"
      lead={
        recordShown && (
          <>
            In the{" "}
            <Link href={paths.record()} className="link">
              record
            </Link>
            , whose figures you can{" "}
            <Link href={paths.verify()} className="link">
              add up yourself
            </Link>
            .
          </>
        )
      }
    >
      <dl className="grid gap-x-12 gap-y-10 sm:grid-cols-2">
        {RULES.map((rule) => (
          <div key={rule.term}>
            <dt className="font-semibold">{rule.term}</dt>
            <dd className="mt-1.5 text-muted">{rule.text}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
