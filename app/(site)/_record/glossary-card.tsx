import type { ReactNode } from "react";
import { Card } from "@/app/_components/card";
import { GLOSSARY, type GlossaryTerm } from "@/app/_components/glossary";

/** The glossary terms of a page with their explanations. */
export function GlossaryCard({ of, children }: { of: readonly GlossaryTerm[]; children?: ReactNode }) {
  return (
    <Card title="Terms on this page">
      <dl className="grid gap-x-10 gap-y-5 text-sm sm:grid-cols-2">
        {of.map((word) => (
          <div key={word} id={`word-${word}`} className="scroll-mt-24">
            <dt className="font-semibold">{GLOSSARY[word].term}</dt>
            <dd className="mt-1 text-muted">{GLOSSARY[word].text}</dd>
          </div>
        ))}
      </dl>
      {children}
    </Card>
  );
}
