import { Hint } from "@/app/_components/hint";

/** Who is judged in a row: the signals, the coin or the class frequencies, with a word on what they are. */
export function ForecasterName({ name, about }: { name: string; about?: string | null | undefined }) {
  return (
    <span className="inline-flex items-center gap-2">
      {name}
      {about && <Hint about={name}>{about}</Hint>}
    </span>
  );
}
