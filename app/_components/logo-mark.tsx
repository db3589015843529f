/** The logo symbol: an up and a down wedge that pass through one slot. `tinted` shows them in colour. */
export function LogoMark({ size = 24, tinted = false }: { size?: number; tinted?: boolean }) {
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" className="shrink-0">
      <path d="M2.5 11 10 2.5 17.5 11Z" className={tinted ? "fill-up" : "fill-current"} />
      <path d="M6.5 13H21.5L14 21.5Z" className={tinted ? "fill-down" : "fill-current"} />
    </svg>
  );
}
