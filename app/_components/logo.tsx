import { brand } from "@/lib/runtime/brand";
import { classNames } from "./class-names";
import { LogoMark } from "./logo-mark";

/** The operator's logo, or the default symbol, next to the service's name. */
export function Logo({ className }: { className?: string }) {
  const { name, logoPath } = brand();
  return (
    <span className={classNames("flex items-center gap-2 font-semibold tracking-tight", className)}>
      {logoPath === null ? (
        <LogoMark tinted />
      ) : (
        // The site has no image optimiser: browsers get the file as the operator uploaded it.
        // biome-ignore lint/performance/noImgElement: see above
        <img src={logoPath} alt="" className="h-6 w-auto max-w-30 shrink-0 object-contain" />
      )}
      <span>{name}</span>
    </span>
  );
}
