/** An empty card: a sentence and the next step. */
export interface EmptyCard {
  what: string;
  text: string;
  step?: { href: string; label: string } | undefined;
}

/** Empty cards, one line each. */
export function EmptyCards({ lines }: { lines: readonly EmptyCard[] }) {
  if (lines.length === 0) return null;
  return (
    <dl className="divide-y rounded-lg border bg-raised text-sm">
      {lines.map(({ what, text, step }) => (
        <div key={what} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3 sm:px-6">
          <dt className="w-40 font-medium">{what}</dt>
          <dd className="min-w-0 flex-1 basis-60 text-muted">{text}</dd>
          {step && (
            <dd>
              <a href={step.href} className="link">
                {step.label}
              </a>
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
