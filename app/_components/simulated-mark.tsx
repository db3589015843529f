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
    <Notice tone="warn" title="Simulated market">
      This installation runs on generated prices. Every signal, price and result on this page comes from that
      simulation and says nothing about real markets.
    </Notice>
  );
}
