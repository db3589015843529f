import { counted } from "@/app/_components/figures";
import { Link } from "@/app/_components/link";
import { TryOutForm } from "@/app/_components/try-out-form";
import { paths } from "@/lib/paths";
import type { TryOutOffer } from "@/lib/settings/try-out-offer";
import { Section } from "./section";

/** A free key that sees signals late, where the operator gives any. */
export function TryOut({ offer: { planTitle, delayCandles, days } }: { offer: TryOutOffer }) {
  return (
    <Section
      anchor="try-out"
      title="Try it first"
      lead={`A free key of the plan ${planTitle} for ${counted(days, "day")}.`}
    >
      <div className="grid gap-x-12 gap-y-8 md:grid-cols-[1fr_20rem]">
        <ul className="list-disc space-y-2 pl-5 text-muted">
          <li>
            Each signal comes {counted(delayCandles, "candle")} late. Most have expired by then, and the EA
            does not trade those.
          </li>
          <li>You connect your EA, see that it calls, and compare signals with the chart.</li>
          <li>When you buy, the same key gets signals at once, without a change in your EA.</li>
          <li>
            One for each address.{" "}
            <Link href={paths.docs("try-out")} className="link">
              What it can do
            </Link>
          </li>
        </ul>
        <TryOutForm />
      </div>
    </Section>
  );
}
