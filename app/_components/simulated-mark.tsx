import { FlaskConical } from "lucide-react";
import { Badge } from "./badge";

/** The label of figures from the simulated market. */
export function SimulatedMark() {
  return (
    <Badge tone="warn">
      <FlaskConical aria-hidden="true" />
      Simulated market
    </Badge>
  );
}

/** The label with its explanation, once above the figures of a page. */
export function SimulatedNotice() {
  return (
    <p className="text-sm text-pretty text-muted">
      <SimulatedMark /> A demonstration: prices, signals and results are generated, with trends built in that
      a model can find. Nothing here was committed in time.
    </p>
  );
}
