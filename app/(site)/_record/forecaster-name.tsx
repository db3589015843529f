import { Hint } from "@/app/_components/hint";

/** The forecaster of a row: the signals, the coin or the class frequencies, with a short explanation. */
export function ForecasterName({ name, about }: { name: string; about?: string | null | undefined }) {
  return (
    <span className="inline-flex items-center gap-2">
      {name}
      {about && <Hint about={name}>{about}</Hint>}
    </span>
  );
}
