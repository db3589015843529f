import { FlaskConical } from "lucide-react";
import { Badge } from "./badge";

/** The label “Simulated market” next to figures from the simulated market. */
export function SimulatedMark() {
  return (
    <Badge tone="warn">
      <FlaskConical aria-hidden="true" />
      Simulated market
    </Badge>
  );
}

interface Growing {
  /** Whether the simulated history is still being made. */
  isGrowing?: boolean;
}

const GROWING = "The simulated history is still being made; figures grow for some minutes.";

/** A notice above every page of the portal and of the administration if the service runs on the simulated market. */
export function SimulatedMarketBanner({ isGrowing = false }: Growing) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
      <SimulatedMark /> Prices, signals and results are generated here and say nothing about real markets.
      {isGrowing && <strong className="font-medium text-ink">{GROWING}</strong>}
    </p>
  );
}

/** The label with an explanation, shown once on a page, above its figures. */
export function SimulatedNotice({ isGrowing = false }: Growing) {
  return (
    <p className="text-sm text-pretty text-muted">
      <SimulatedMark /> A demonstration: prices, signals and results are generated, with trends built in that
      a model can find. Nothing here was committed in time.{" "}
      {isGrowing && <strong className="font-medium text-ink">{GROWING}</strong>}
    </p>
  );
}
