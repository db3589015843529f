import { Link } from "@/app/_components/link";
import { env } from "@/lib/runtime/env";

/** What is said where the operator has no words of their own, in the sense of CFTC rule 4.41. */
const DEFAULT_STATEMENT = [
  "These results are hypothetical. They were worked out by fixed rules from the candles that followed each signal; no order was sent and no money was at risk. They have limits that a record of real trades does not have.",
  "Because nothing was executed, the results may make too much or too little of what real markets do: missing liquidity, slippage, wider spreads, a broker that is slow or does not answer. Methods that are tested on past prices also tend to be built with the benefit of hindsight.",
  "We do not claim that any account will earn or lose, or is likely to earn or lose, what is shown here. Trade only with money that you can afford to lose.",
];

/** The statement that stands under every result. */
export function HypotheticalStatement() {
  const own = env().hypotheticalStatement;
  const paragraphs = own === null ? DEFAULT_STATEMENT : own.split(/\n\s*\n|\\n\\n/);
  return (
    <section
      id="hypothetical"
      aria-labelledby="hypothetical-title"
      className="scroll-mt-24 rounded-lg border bg-sunken px-4 py-4 sm:px-6"
    >
      <h2 id="hypothetical-title" className="text-base">
        Hypothetical performance
      </h2>
      <div className="mt-2 max-w-[80ch] space-y-2 text-sm text-muted">
        {paragraphs.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </div>
    </section>
  );
}

/** The same in a line, beside figures, leading to the whole statement. */
export function HypotheticalMark({ href = "#hypothetical" }: { href?: string }) {
  return (
    <Link href={href} className="link">
      Hypothetical results
    </Link>
  );
}
