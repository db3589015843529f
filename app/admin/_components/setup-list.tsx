import { ArrowRight, Circle, CircleCheck } from "lucide-react";
import type { SetupStep } from "@/lib/admin/setup/steps";

/** The steps of a new installation, each with a link. */
export function SetupList({ steps }: { steps: readonly SetupStep[] }) {
  return (
    <ol className="divide-y">
      {steps.map(({ id, title, text, href, isDone }) => (
        <li key={id} className="flex items-center gap-3 px-4 py-3 sm:px-6">
          {isDone ? (
            <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-up" />
          ) : (
            <Circle aria-hidden="true" className="size-5 shrink-0 text-faint" />
          )}
          <div className="min-w-0 flex-1">
            <p className={isDone ? "text-muted" : "font-medium"}>
              <span className="sr-only">{isDone ? "Done: " : "To do: "}</span>
              {title}
            </p>
            {!isDone && <p className="text-sm text-muted">{text}</p>}
          </div>
          <a
            href={href}
            aria-label={`${isDone ? "Open" : "Start"}: ${title}`}
            className="inline-flex min-h-8 shrink-0 items-center gap-1.5 text-sm font-medium text-accent hover:underline"
          >
            {isDone ? "Open" : "Start"}
            <ArrowRight aria-hidden="true" className="size-4" />
          </a>
        </li>
      ))}
    </ol>
  );
}
