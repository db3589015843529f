import { brand } from "@/lib/runtime/brand";
import { classNames } from "./class-names";

/** The mark: an up and a down wedge that pass through one slot. `tinted` shows the pair in its colours. */
function LogoMark({ size = 24, tinted = false }: { size?: number; tinted?: boolean }) {
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" className="shrink-0">
      <path d="M2.5 11 10 2.5 17.5 11Z" className={tinted ? "fill-up" : "fill-current"} />
      <path d="M6.5 13H21.5L14 21.5Z" className={tinted ? "fill-down" : "fill-current"} />
    </svg>
  );
}

/** The operator's logo, or the mark, with the name beside it. */
export function Logo({ className }: { className?: string }) {
  const { name, logoPath } = brand();
  return (
    <span className={classNames("flex items-center gap-2 font-semibold tracking-tight", className)}>
      {logoPath === null ? (
        <LogoMark tinted />
      ) : (
        // There is no image optimiser here: it is drawn as it was sent.
        // biome-ignore lint/performance/noImgElement: see above
        <img src={logoPath} alt="" className="h-6 w-auto max-w-30 shrink-0 object-contain" />
      )}
      <span>{name}</span>
    </span>
  );
}
