import { FlaskConical } from "lucide-react";
import { Badge } from "./badge";

/** The label of every figure that comes from the simulated market. */
export function SimulatedMark() {
  return (
    <Badge tone="warn">
      <FlaskConical aria-hidden="true" />
      Simulated market
    </Badge>
  );
}

/** The mark with its meaning, once above the figures of a page. */
export function SimulatedNotice() {
  return (
    <p className="text-sm text-pretty text-muted">
      <SimulatedMark /> A demonstration: prices, signals and results are generated, and nothing here was
      committed in time.
    </p>
  );
}
