import { paths } from "@/lib/paths";
import { LandingSection } from "./section";

const STEPS = [
  {
    title: "Get a key",
    text: "It arrives by e-mail after payment and is shown once. Paste it and the address of the service into two inputs of your EA.",
    code: "InpApiUrl, InpApiKey",
  },
  {
    title: "Read the newest signal",
    text: "Once a minute is plenty. A signal belongs to a closed candle and never changes. Old ones are marked stale, so your client can refuse them.",
    code: "GET /api/scan",
  },
  {
    title: "Report your trades",
    text: "Open and close, by ticket. Duplicates are harmless, so your EA can always send a report again. Your own results appear in the portal, apart from those of the models.",
    code: "POST /api/executions",
  },
];

export function Steps() {
  return (
    <LandingSection
      wide
      title="Three steps"
      lead={
        <>
          The free{" "}
          <a href={paths.docs("ea-kit")} className="link">
            EA
          </a>{" "}
          does steps 2 and 3 for you.
        </>
      }
    >
      <ol className="grid divide-y overflow-hidden rounded-lg border bg-raised md:grid-cols-3 md:divide-x md:divide-y-0">
        {STEPS.map((step, index) => (
          <li key={step.title} className="flex flex-col p-6">
            <span className="text-sm font-medium text-faint tabular-nums">{index + 1}</span>
            <h3 className="mt-4 text-lg">{step.title}</h3>
            <p className="mt-2 flex-1 text-muted">{step.text}</p>
            <code className="mt-6 self-start rounded-sm border bg-sunken px-2 py-1 font-mono text-sm">
              {step.code}
            </code>
          </li>
        ))}
      </ol>
    </LandingSection>
  );
}
