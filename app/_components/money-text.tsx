import { classNames } from "./class-names";
import { formatSigned, signOf } from "./figures";

const STYLES = { up: "text-up", down: "text-down", flat: "text-muted" } as const;
const POINTS = { up: "M4 1 7.5 7H.5Z", down: "M4 7 .5 1h7Z" } as const;

/** A profit or loss with sign, mark and colour. An unknown amount is a dash, not a zero. */
export function MoneyText({
  value,
  unit,
  digits = 2,
  mark = true,
}: {
  value: number | null;
  unit?: string;
  digits?: number;
  mark?: boolean;
}) {
  if (value === null) return <span className="text-faint">–</span>;
  const sign = signOf(value, digits);
  return (
    <span className={classNames("whitespace-nowrap tabular-nums", STYLES[sign])}>
      {mark && sign !== "flat" && (
        <svg
          viewBox="0 0 8 8"
          width="8"
          height="8"
          aria-hidden="true"
          className="mr-1 inline-block fill-current align-[0.1em]"
        >
          <path d={POINTS[sign]} />
        </svg>
      )}
      {formatSigned(value, digits)}
      {unit && " "}
      {unit && <span className="text-[0.85em] font-normal text-muted">{unit}</span>}
    </span>
  );
}
