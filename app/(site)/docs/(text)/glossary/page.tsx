import { GLOSSARY, GLOSSARY_GROUPS } from "@/app/_components/glossary";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";

export const metadata = {
  title: "Glossary",
  description: "The words of the service, each in two sentences: slot, signal, R, baseline, ECE, regime.",
};

export default function Glossary() {
  return (
    <Article
      page="glossary"
      title="Glossary"
      lead="The words of these pages, each in a sentence or two. Dotted words elsewhere lead here."
    >
      {GLOSSARY_GROUPS.flatMap(({ id, title, words }) => [
        <h2 key={id} id={id}>
          {title}
        </h2>,
        <dl key={`${id}-words`} className="divide-y border-y">
          {words.map((word) => (
            <div key={word} id={word} className="scroll-mt-24 py-4 target:bg-sunken">
              <dt className="font-semibold">{GLOSSARY[word].mark}</dt>
              <dd className="mt-1 text-base">{GLOSSARY[word].text}</dd>
            </div>
          ))}
        </dl>,
      ])}
    </Article>
  );
}
