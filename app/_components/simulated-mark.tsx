import { FlaskConical } from "lucide-react";
import { Badge } from "./badge";
import { Notice } from "./notice";

/** The label of every figure that comes from the simulated market. */
export function SimulatedMark() {
  return (
    <Badge tone="warn">
      <FlaskConical aria-hidden="true" />
      Simulated market
    </Badge>
  );
}

/** The same said once, in full, above figures. */
export function SimulatedNotice() {
  return (
    <Notice tone="warn" title="Simulated market: a demonstration; nothing here was committed in time">
      Prices, signals and results on this page are generated, with trends built in that a model can find. They
      say nothing about real markets.
    </Notice>
  );
}
