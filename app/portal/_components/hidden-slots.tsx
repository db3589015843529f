import { paths } from "@/lib/paths";

/** Slots outside of the subscriber's access, with a link to the plans. */
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
