import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "@/app/_components/link";
import { paths } from "@/lib/paths";
import { Section } from "./section";

const QUESTIONS: { question: string; answer: ReactNode }[] = [
  {
    question: "How do I get a key?",
    answer:
      "From the operator of this site. You pay for a plan on their payment platform, and the key comes by e-mail right after. It is shown nowhere else.",
  },
  {
    question: "Does the service trade for me?",
    answer:
      "No. It says what its models see. Your EA decides whether to follow, how much to risk and when to stop, on your account and under your control. The service never has access to your broker.",
  },
  {
    question: "Do I need MetaTrader?",
    answer: (
      <>
        No. Anything that can send an HTTPS request with a header can read signals. The kit has an EA for
        MetaTrader 5 and a client for Python; the{" "}
        <Link href={paths.docs("reference")} className="link">
          reference
        </Link>{" "}
        describes the rest.
      </>
    ),
  },
  {
    question: "How old can a signal be?",
    answer:
      "A signal belongs to one closed candle. It is stale when that candle closed more than one timeframe and 15 minutes ago (of some slots the operator sets other minutes), counted in minutes in which its market was open. Stale signals are marked, and the kit refuses them.",
  },
  {
    question: "What happens when I lose my key?",
    answer:
      "Make a new one in the portal. The old one stops at once, so your EA waits until you paste the new key. Only a fingerprint of a key is stored: it cannot be read back to you.",
  },
  {
    question: "What happens to open positions when my access ends?",
    answer:
      "For 72 hours after it expires a key may still report that positions were closed, so that your record is complete. Reading signals ends at once.",
  },
  {
    question: "Which times are these?",
    answer:
      "UTC, everywhere, with a Z at the end in the interface. Broker clocks usually differ by two or three hours; the kit converts them.",
  },
];

export function Questions() {
  return (
    <Section title="Questions">
      <div className="divide-y border-y">
        {QUESTIONS.map(({ question, answer }) => (
          <details key={question} className="group">
            <summary className="flex min-h-14 list-none items-center justify-between gap-6 py-3 font-medium">
              {question}
              <Plus
                aria-hidden="true"
                className="size-4 shrink-0 text-faint transition-transform duration-150 group-open:rotate-45"
              />
            </summary>
            <p className="max-w-[62ch] pb-6 text-muted">{answer}</p>
          </details>
        ))}
      </div>
    </Section>
  );
}
