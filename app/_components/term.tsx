import { Fragment, type ReactNode } from "react";
import { paths } from "@/lib/paths";
import { GLOSSARY, type GlossaryTerm, LINKED_TERMS } from "./glossary";

/** A term with its definition as a tooltip and a link to the glossary. */
export function Term({ of, children }: { of: GlossaryTerm; children: ReactNode }) {
  const { text } = GLOSSARY[of];
  return (
    <a
      href={paths.docs("glossary", of)}
      title={text}
      // Large enough for a finger without widening the text: the padding of a short term overlaps the words before it.
      className="-my-0.5 -ml-4 inline-block py-0.5 pl-4 underline decoration-dotted decoration-from-font underline-offset-3 hover:text-ink hover:decoration-solid"
    >
      {children}
    </a>
  );
}

const LINKED = new RegExp(
  `(?<![\\p{L}\\p{N}])(${Object.keys(LINKED_TERMS).join("|")})(?![\\p{L}\\p{N}])`,
  "u",
);

/** A heading or label whose glossary terms are links. */
export function WithTerms({ text }: { text: string }) {
  return text.split(LINKED).map((part, index) => {
    const word = index % 2 === 1 ? LINKED_TERMS[part] : undefined;
    return word === undefined ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a label have no name but their place
      <Fragment key={index}>{part}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Term key={index} of={word}>
        {part}
      </Term>
    );
  });
}
