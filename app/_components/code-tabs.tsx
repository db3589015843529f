import { useId } from "react";
import { CodeBlock } from "./code-block";

/** The languages of examples; globals.css and `public/enhance.js` use these values. */
export const CODE_LANGUAGES = {
  curl: "curl",
  powershell: "PowerShell",
  python: "Python",
  node: "Node",
  mql5: "MQL5",
} as const;
export type CodeLanguage = keyof typeof CODE_LANGUAGES;

/** One example in several languages. All examples of a page show the same language, and the browser remembers it. */
export function CodeTabs({ what, code }: { what: string; code: Partial<Record<CodeLanguage, string>> }) {
  const group = useId();
  const languages = (Object.keys(CODE_LANGUAGES) as CodeLanguage[]).flatMap((language) => {
    const text = code[language];
    return text === undefined ? [] : [{ language, text }];
  });
  return (
    <div className="code-tabs">
      <fieldset className="mb-2 flex flex-wrap gap-1">
        <legend className="sr-only">Language: {what}</legend>
        {languages.map(({ language }, index) => (
          <label
            key={language}
            className="inline-flex h-9 cursor-pointer items-center rounded-md px-3 text-sm text-muted hover:text-ink has-checked:bg-sunken has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2"
          >
            <input
              type="radio"
              name={group}
              value={language}
              defaultChecked={index === 0}
              data-language-choice=""
              className="sr-only"
            />
            {CODE_LANGUAGES[language]}
          </label>
        ))}
      </fieldset>
      {languages.map(({ language, text }) => (
        <div key={language} data-language={language}>
          <CodeBlock name={CODE_LANGUAGES[language]} code={text} />
        </div>
      ))}
    </div>
  );
}
