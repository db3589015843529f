import { Link } from "@/app/_components/link";
import { paths } from "@/lib/paths";

/** Slots outside of the subscriber's access, with a link to the plans. */
export function HiddenSlots({ words }: { words: string }) {
  return (
    <>
      {words}{" "}
      <Link href={paths.plans()} className="link">
        See plans
      </Link>
    </>
  );
}
