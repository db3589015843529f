import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { paths } from "@/lib/paths";
import { LandingSection } from "./section";

const QUESTIONS: { question: string; answer: ReactNode }[] = [
  {
    question: "How do I get a key?",
    answer:
      "Buy a plan from the operator of this site. The key arrives by e-mail right after payment. After that we keep only its fingerprint.",
  },
  {
    question: "Does the service trade for me?",
    answer:
      "No. It sends signals. Your EA decides whether to follow them, how much to risk and when to stop, on your account and under your control. The service never has access to your broker.",
  },
  {
    question: "Do I need MetaTrader?",
    answer: (
      <>
        No. Any program that can send an HTTPS request with a header can read signals. The kit contains an EA
        for MetaTrader 4 and 5 and a client for Python. For everything else see the{" "}
        <a href={paths.docs("reference")} className="link">
          reference
        </a>
        .
      </>
    ),
  },
  {
    question: "How old can a signal be?",
    answer:
      "A signal belongs to one closed candle. It is stale once that candle closed more than one timeframe and 15 minutes ago, not counting the time in which the market was closed. The operator can set another limit for a slot. Stale signals are marked, and the kit refuses them.",
  },
  {
    question: "What if I lose my key?",
    answer:
      "Rotate it in the portal. The old key stops working at once, so your EA waits until you paste the new one. We cannot show the old one again: once a key is delivered, we keep only its fingerprint and its first and last four characters.",
  },
  {
    question: "What happens to open positions when my access ends?",
    answer:
      "For 72 hours after it expires, a key can still report closed positions, so that your results are complete. It can no longer read signals.",
  },
  {
    question: "Which time zone do you use?",
    answer:
      "UTC everywhere; in the API times end in Z. Broker clocks usually differ by two or three hours, and the kit converts them.",
  },
];

export function Questions() {
  return (
    <LandingSection title="Questions">
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
    </LandingSection>
  );
}
