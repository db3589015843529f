import { classNames } from "@/app/_components/class-names";

/** A word of any length: cut to its column's width in a table, with the whole of it on hover; broken into lines on a phone. */
export function CutText({ text, className }: { text: string; className: string }) {
  return (
    <span
      title={text}
      // A name that is written from the right is cut at its end, not at its beginning.
      dir="auto"
      className={classNames("align-bottom text-left phone:break-all sm:inline-block sm:truncate", className)}
    >
      {text}
    </span>
  );
}
