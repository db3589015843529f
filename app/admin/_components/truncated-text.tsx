import { classNames } from "@/app/_components/class-names";

/** A long word: in a table cut to its column's width, with the full text on hover; on a phone wrapped. */
export function TruncatedText({ text, className }: { text: string; className: string }) {
  return (
    <span
      title={text}
      // Text in a right-to-left script is cut at its end, not at its beginning.
      dir="auto"
      className={classNames("align-bottom text-left phone:break-all sm:inline-block sm:truncate", className)}
    >
      {text}
    </span>
  );
}
