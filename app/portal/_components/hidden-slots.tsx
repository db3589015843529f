import { Link } from "@/app/_components/link";
import { paths } from "@/lib/paths";

/** What the subscriber's access leaves out, with the way to the plans. */
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
