import { paths } from "@/lib/paths";

/** A line about slots that the subscriber's key may not see, with a link to the plans. */
export function HiddenSlots({ words }: { words: string }) {
  return (
    <>
      {words}{" "}
      <a href={paths.plans()} className="link">
        See plans
      </a>
    </>
  );
}
