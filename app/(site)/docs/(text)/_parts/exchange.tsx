import { CodeBlock } from "@/app/_components/code-block";
import { CodeTabs, type Language } from "@/app/_components/code-tabs";

/** A request in several languages with its answer: beside it where there is room, else below. */
export function Exchange({
  what,
  code,
  status,
  answer,
}: {
  what: string;
  code: Partial<Record<Language, string>>;
  status: number;
  answer: string;
}) {
  return (
    <div className="beside grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(0,5fr)_minmax(0,4fr)]">
      <CodeTabs what={what} code={code} />
      <div className="max-h-80 overflow-y-auto rounded-lg xl:mt-11">
        <CodeBlock name={`Answer, ${status}`} code={answer} />
      </div>
    </div>
  );
}
